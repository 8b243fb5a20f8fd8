/** The theme as one function: a role and a text → the text in that role's style. */
import { paint, type Role, type Theme } from './theme.ts';

export type Paint = (role: Role, text: string) => string;

export function paintOf(theme: Theme): Paint {
  return (role, text) => paint(theme[role], text);
}
