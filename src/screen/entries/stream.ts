/** A reply that is still being written, as lines. */

import type { RenderContext } from '../../render/theme.ts';
import { clean, plainText } from '../../text/sanitize.ts';
import { wrapText } from '../../text/wrap.ts';
import { withGutter } from './frame.ts';
import { createProseStream } from './prose.ts';

type Stream = { readonly text: string; readonly reasoning: string };

/** Characters and lines of a model's thoughts that are shown while it does nothing else. */
const THOUGHT_TAIL = 2000;
const THOUGHT_LINES = 3;

/** A drawing of one reply, frame after frame. While it only thinks, the last of its thoughts are shown dimmed. */
export function createStreamLines(): (reply: Stream, context: RenderContext) => string[] {
  const prose = createProseStream();
  return ({ text, reasoning }, context) => {
    const inner = { ...context, width: Math.max(1, context.width - 2) };
    const harmless = plainText(clean(text)).trimStart();
    const lines = harmless === '' ? thoughts(reasoning, inner) : prose(harmless, inner);
    return [' ', ...withGutter(lines, { first: context.paint('accent', '● '), rest: '  ' })];
  };
}

function thoughts(reasoning: string, { width, paint }: RenderContext): string[] {
  const tail = plainText(clean(reasoning.slice(-THOUGHT_TAIL))).trim();
  if (tail === '') return [paint('dim', '…')];
  return wrapText(tail, width)
    .slice(-THOUGHT_LINES)
    .map((line) => paint('quote', line));
}
