/** A reply that is still being written, as lines. */
import { clean, stripStyles } from '../../src/session/text.ts';
import { withGutter } from './frame.ts';
import type { Look } from './look.ts';
import { markdownLines } from './prose.ts';

type Stream = { readonly text: string; readonly reasoning: string };

/** A drawing of one reply, frame after frame. While it only thinks, the last of its thoughts are shown dimmed. */
export function createStreamLines(): (reply: Stream, look: Look) => string[] {
  return (reply, look) => {
    const inner = { ...look, width: Math.max(1, look.width - 2) };
    const text = stripStyles(clean(reply.text)).trimStart();
    const lines = text === '' ? ['…'] : markdownLines(text, inner);
    return [' ', ...withGutter(lines, { first: look.paint('accent', '● '), rest: '  ' })];
  };
}
