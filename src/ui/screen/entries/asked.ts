/** What the user typed to the model in the transcript: a question, a goal. */

import { plainText, visible } from '../../../text/sanitize.ts';
import { wrapText } from '../../../text/wrap.ts';
import type { RenderContext, Role } from '../../render/theme.ts';
import { GUTTER, headingLines } from './frame.ts';

/** What the user typed to the model; `right` in plain words, and below it what went along. */
export function askedLines(
  asked: {
    readonly glyph: string;
    readonly role: Role;
    readonly text: string;
    readonly right: string;
    readonly attached?: readonly string[] | undefined;
  },
  context: RenderContext,
): string[] {
  const { glyph, role, attached = [] } = asked;
  const { width, paint } = context;
  const words = wrapText(plainText(asked.text), Math.max(1, width - GUTTER)).map((line) => paint(role, line));
  const right = asked.right && paint('dim', asked.right);
  const head = headingLines({ glyph, role: 'accent', text: words.join('\n'), right, raised: true }, context);
  const names = attached.map((name) => visible(name)).join(' · ');
  const behind = names === '' ? [] : wrapText(`with ${names}`, width - GUTTER);
  return [...head, ...behind.map((line) => `  ${paint('dim', line)}`)];
}
