/**
 * Formats a model’s text as lines, complete or still growing: Markdown without marker lines, whose actions have their
 * own entries.
 */
import { withoutMarkers } from '../../../session/reply.ts';
import { clean, plainText } from '../../../text/sanitize.ts';
import { wrapText } from '../../../text/wrap.ts';
import { createMarkdownStream, MAX_PROSE, renderMarkdown } from '../../render/markdown.ts';
import type { RenderContext } from '../../render/theme.ts';
import { GUTTER, withGutter } from './frame.ts';

/**
 * The most characters of a line that is shown in full: of a longer one only the two ends, since wrapping it takes long.
 */
const MAX_LINE_CHARS = 8000;

/** Returns how many cells prose may take beside the gutter. */
export function proseWidth(width: number): number {
  return Math.max(1, Math.min(width, MAX_PROSE) - GUTTER);
}

/** Returns the lines of a complete text. */
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

/** Renders a growing text; finished blocks are not rendered again. */
function createProseStream(): (text: string, context: RenderContext) => readonly string[] {
  const stream = createMarkdownStream();
  return (text, { width, theme }) => stream.update(withoutMarkers(text, true), Math.max(1, width), theme);
}

// A reply in progress, as lines.

/** The part of a string's interface that is used of a growing text. */
type Growing = { readonly length: number; slice(from: number, to?: number): string };
type Stream = { readonly text: Growing; readonly reasoning: Growing };

/** Characters and lines of a model's thoughts that are shown while it only thinks. */
const THOUGHT_TAIL = 2000;
const THOUGHT_LINES = 3;

/**
 * Only one to two times this many full rows at the end of a growing text are drawn, which bounds the cost of a frame.
 */
const WINDOW_ROWS = 100;
const FENCE = /^ {0,3}(?:```|~~~).*$/gm;

/** Returns the end of a growing text. Its start changes seldom, so that finished blocks stay rendered. */
function createWindow(): (text: Growing, chars: number) => string {
  let from = 0;
  let fence = '';
  return (text, chars) => {
    // The attempt was dropped, and the next one starts from the beginning.
    if (text.length < from) {
      from = 0;
      fence = '';
    }
    if (text.length - from > 2 * chars) {
      const next = text.length - chars;
      const lineEnd = text.slice(next, next + chars / 2).indexOf('\n');
      const to = next + lineEnd + 1;
      // A code block that is cut at its start stays a code block.
      for (const [line] of text.slice(from, to).matchAll(FENCE)) fence = fence === '' ? `${line}\n` : '';
      from = to;
    }
    return (from === 0 ? '' : fence) + text.slice(from);
  };
}

/**
 * Returns a renderer of one reply, called for each frame. While the model only thinks, the last of its thoughts are
 * shown dimmed.
 */
export function createStreamLines(): (reply: Stream, context: RenderContext) => string[] {
  const prose = createProseStream();
  const window = createWindow();
  return ({ text, reasoning }, context) => {
    const inner = { ...context, width: Math.max(1, context.width - 2) };
    const harmless = plainText(clean(window(text, WINDOW_ROWS * inner.width))).trimStart();
    const lines = harmless === '' ? thoughts(reasoning, inner) : prose(harmless, inner);
    return lines.length === 0
      ? []
      : [' ', ...withGutter(lines, { first: context.paint('accent', '● '), rest: context.paint('rule', '│ ') })];
  };
}

function thoughts(reasoning: Growing, { width, paint }: RenderContext): string[] {
  const tail = plainText(clean(reasoning.slice(-THOUGHT_TAIL))).trim();
  if (tail === '') return [];
  return wrapText(tail, width)
    .slice(-THOUGHT_LINES)
    .map((line) => paint('quote', line));
}
