/** A model's words as lines: Markdown, without the lines that ask for something, which are shown as what they ask for. */

import { withoutMarkers } from '../../../session/spoken.ts';
import { createMarkdownStream, renderMarkdown } from '../../render/markdown.ts';
import type { RenderContext } from '../../render/theme.ts';

/** A line longer than this, in characters, is shown by its two ends. Nobody reads it, and wrapping it takes its time. */
const MAX_LINE_CHARS = 8000;

/** A whole text as lines. */
export function proseLines(text: string, { width, theme }: RenderContext): string[] {
  return renderMarkdown(withoutMarkers(withShortLines(text)), Math.max(1, width), theme);
}

function withShortLines(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const end = MAX_LINE_CHARS / 2;
  return text
    .split('\n')
    .map((line) =>
      line.length <= MAX_LINE_CHARS
        ? line
        : `${line.slice(0, end)} [${(line.length - 2 * end).toLocaleString('en-US')} characters left out] ${line.slice(-end)}`,
    )
    .join('\n');
}

/** The same for a text that grows: what is settled is not rendered again. */
export function createProseStream(): (text: string, context: RenderContext) => readonly string[] {
  const stream = createMarkdownStream();
  return (text, { width, theme }) => stream.update(withoutMarkers(text, true), Math.max(1, width), theme);
}
