/**
 * A file's text prepared for searching: without byte order mark, every CR LF as one newline, and the mapping back to
 * the original.
 */
import { plainText } from '../../text/sanitize.ts';

export type Lines = {
  /** The text with `\n` for every line break. All offsets below refer to it. */
  readonly text: string;
  /** Returns the offset in the original (without its mark) for an offset in `text`. */
  original(offset: number): number;
  /** Returns the line break used near an offset: the next one, else the last before; undefined if there is none. */
  breakAt(offset: number): string | undefined;
  /** Returns the line number of an offset, from 1. */
  line(offset: number): number;
};

/** Counts the numbers of an ascending list that are less than the value. */
function countBelow(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function linesOf(body: string): Lines {
  const text = toNewlines(body);
  const breaks: number[] = [];
  /** Offsets in `text` of the newlines that are CR LF in the original. */
  const returns: number[] = [];
  for (let at = body.indexOf('\n'); at !== -1; at = body.indexOf('\n', at + 1)) {
    const returned = body[at - 1] === '\r';
    const offset = at - returns.length - (returned ? 1 : 0);
    breaks.push(offset);
    if (returned) returns.push(offset);
  }
  return {
    text,
    original: (offset) => offset + countBelow(returns, offset),
    breakAt(offset) {
      const next = breaks[countBelow(breaks, offset)] ?? breaks.at(-1);
      if (next === undefined) return undefined;
      return returns[countBelow(returns, next)] === next ? '\r\n' : '\n';
    },
    line: (offset) => countBelow(breaks, offset) + 1,
  };
}

/** Replaces every CR LF by `\n`. A CR elsewhere is text. */
export function toNewlines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Unified diffs for models and people. Their text is cleaned, so a program can't apply them. */

/** In ms; two completely different texts take quadratic time. */
const DIFF_TIMEOUT_MS = 1000;

/**
 * Returns a diff of two texts; undefined stands for no file. Never throws; if the texts differ too much, a line says
 * so instead.
 */
export async function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  return plainText(await exactDiff(path, before, after));
}

/** The same with every character unchanged: the caller must make invisible ones visible. */
export async function exactDiff(path: string, before: string | undefined, after: string | undefined): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const diff = createTwoFilesPatch(
    before === undefined ? '/dev/null' : path,
    after === undefined ? '/dev/null' : path,
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    { context: 3, timeout: DIFF_TIMEOUT_MS, headerOptions: FILE_HEADERS_ONLY },
  );
  return diff ?? `--- ${path}\n+++ ${path}\n(too different for a diff)\n`;
}

/** Returns the first lines of a diff, at most `limit` characters; cuts a long line. Says how much is left out. */
export function boundDiff(diff: string, limit: number): string {
  if (diff.length <= limit) return diff;
  const head = diff.slice(0, limit);
  const kept = head.lastIndexOf('\n') > limit / 2 ? head.slice(0, head.lastIndexOf('\n')) : head;
  const left = diff.slice(kept.length).split('\n').length - 2;
  return `${kept}\n[… ${Math.max(1, left)} more lines of the diff]\n`;
}
