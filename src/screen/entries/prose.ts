/** A model's words as lines: Markdown, without the lines that ask for something, which are shown as what they ask for. */
import { createMarkdownStream, renderMarkdown } from '../../render/markdown.ts';
import type { RenderContext } from '../../render/theme.ts';
import { isActionLine, isMarkerLine } from '../../session/reply.ts';

const FENCE = /^ {0,3}(?:```|~~~)/;
/** How lines begin that may become a marker with the next token. */
const BEGINNINGS = ['CMD:', 'CMD&:', 'DELEGATE:', 'GOAL: complete', 'GOAL: blocked'] as const;

/**
 * The text without its markers (AC-1): each stands in the transcript as an action of its own, and in `:history` as it was
 * written. The prefix of a growing text gives the prefix of the result, but for its last line.
 */
function withoutMarkers(text: string, growing = false): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let fenced = false;
  /** A fence's first lines, until something in it is no marker: one that only asks for actions says nothing else. */
  let held: string[] = [];
  let asks = false;
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (FENCE.test(line)) {
      fenced = !fenced;
      if (fenced) held = [line];
      else if (held.length === 0) kept.push(line);
      else if (!asks) kept.push(...held, line);
      if (!fenced) held = [];
      asks = false;
    } else if (fenced ? isActionLine(line) : isMarkerLine(line)) asks = fenced;
    else if (growing && index === lines.length - 1 && words !== '' && isBeginning(words)) continue;
    else if (held.length > 0 && words === '') held.push(line);
    else {
      kept.push(...held, line);
      held = [];
    }
  }
  if (!growing && !asks) kept.push(...held);
  return kept.length === lines.length ? text : kept.join('\n');
}

function isBeginning(words: string): boolean {
  return BEGINNINGS.some((marker) => marker.startsWith(words));
}

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
        : `${line.slice(0, end)} … ${(line.length - 2 * end).toLocaleString('en-US')} characters … ${line.slice(-end)}`,
    )
    .join('\n');
}

/** The same for a text that grows: what is settled is not rendered again. */
export function createProseStream(): (text: string, context: RenderContext) => readonly string[] {
  const stream = createMarkdownStream();
  return (text, { width, theme }) => stream.update(withoutMarkers(text, true), Math.max(1, width), theme);
}
