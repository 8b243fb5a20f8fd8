/** Unified diffs to be read by models and people. They are cleaned, so not meant to be applied by a program. */
import { plainText } from '../../text/sanitize.ts';

/** Milliseconds; two texts that differ in everything take quadratic time. */
const DIFF_TIMEOUT_MS = 1000;

/** A diff of two texts; undefined stands for no file. Never throws; where the texts differ too much, a line says that instead. */
export async function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
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
  return plainText(diff ?? `--- ${path}\n+++ ${path}\n(too different for a diff)\n`);
}

/** The first lines of a diff, at most `limit` characters; a long line is cut. Says how much is left out. */
export function boundDiff(diff: string, limit: number): string {
  if (diff.length <= limit) return diff;
  const head = diff.slice(0, limit);
  const kept = head.lastIndexOf('\n') > limit / 2 ? head.slice(0, head.lastIndexOf('\n')) : head;
  const left = diff.slice(kept.length).split('\n').length - 2;
  return `${kept}\n[… ${Math.max(1, left)} more lines of the diff]\n`;
}
