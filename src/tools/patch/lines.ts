/**
 * A file's text as it is searched: without byte order mark, every CR LF as one newline, with the way back to the
 * original.
 */
import { plainText } from '../../text/sanitize.ts';

export type Lines = {
  /** The text with `\n` for every line break. Offsets below are into it. */
  readonly text: string;
  /** The offset in the original (without its mark) of an offset in `text`. */
  original(offset: number): number;
  /** The line break in use around an offset: the next one, else the last before; undefined where there is none. */
  breakAt(offset: number): string | undefined;
  /** The line that an offset is on, from 1. */
  line(offset: number): number;
};

/** How many of the ascending numbers are less than the value. */
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

/** Text with `\n` for every CR LF. A CR elsewhere is text. */
export function toNewlines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Unified diffs to be read by models and people. They are cleaned, so not meant to be applied by a program. */

/** Milliseconds; two texts that differ in everything take quadratic time. */
const DIFF_TIMEOUT_MS = 1000;

/**
 * A diff of two texts; undefined stands for no file. Never throws; where the texts differ too much, a line says that
 * instead.
 */
export async function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  return plainText(await exactDiff(path, before, after));
}

/** The same with every character that the texts have: whoever shows it spells out what can't be seen. */
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

/** The first lines of a diff, at most `limit` characters; a long line is cut. Says how much is left out. */
export function boundDiff(diff: string, limit: number): string {
  if (diff.length <= limit) return diff;
  const head = diff.slice(0, limit);
  const kept = head.lastIndexOf('\n') > limit / 2 ? head.slice(0, head.lastIndexOf('\n')) : head;
  const left = diff.slice(kept.length).split('\n').length - 2;
  return `${kept}\n[… ${Math.max(1, left)} more lines of the diff]\n`;
}
