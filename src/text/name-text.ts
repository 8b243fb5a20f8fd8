import { visible } from './sanitize.ts';

/** The name of a file in a list of one line each: no name can pass for two lines. */
export function nameText(name: string): string {
  return visible(name).replaceAll('\n', '⟨U+000A⟩');
}
