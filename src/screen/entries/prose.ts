/** A model's words as lines: Markdown, with the lines that ask for something kept as they are (AC-1). */
import { createMarkdownStream, renderMarkdown } from '../../render/markdown.ts';
import type { RenderContext } from '../../render/theme.ts';

const FENCE = /^ {0,3}(?:```|~~~)/;
const MARKER = /^\s*((?:CMD&?|DELEGATE|GOAL|TASK):.*)$/;

/**
 * Markers outside fences become code: Markdown would eat the `*` of a glob, and a command must read as it is.
 * The prefix of a growing text gives the prefix of the result, but for its last line.
 */
function withMarkersAsCode(text: string): string {
  if (!text.includes(':')) return text;
  let fenced = false;
  const lines = text.split('\n').map((line) => {
    if (FENCE.test(line)) fenced = !fenced;
    const marker = fenced ? undefined : MARKER.exec(line)?.[1]?.trimEnd();
    return marker === undefined ? line : asCode(marker);
  });
  return lines.join('\n');
}

/** A code span is closed by as many backticks as opened it: one more than the text has in a row. */
function asCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return longest > 0 ? `${ticks} ${text} ${ticks}` : ticks + text + ticks;
}

/** A line longer than this, in characters, is shown by its two ends. Nobody reads it, and wrapping it takes its time. */
const MAX_LINE_CHARS = 32_000;

/** A whole text as lines. */
export function proseLines(text: string, { width, theme }: RenderContext): string[] {
  return renderMarkdown(withMarkersAsCode(withShortLines(text)), Math.max(1, width), theme);
}

function withShortLines(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const end = MAX_LINE_CHARS / 2;
  return text
    .split('\n')
    .map((line) =>
      line.length <= MAX_LINE_CHARS
        ? line
        : `${line.slice(0, end)} … ${(line.length - 2 * end).toLocaleString('en-US')} characters … ${line.slice(-end)}`,
    )
    .join('\n');
}

/** The same for a text that grows: what is settled is not rendered again. */
export function createProseStream(): (text: string, context: RenderContext) => readonly string[] {
  const stream = createMarkdownStream();
  return (text, { width, theme }) => stream.update(withMarkersAsCode(text), Math.max(1, width), theme);
}
