import { type JudgeOptions, judgeCommand } from './judge.ts';
import { type FileContent, Reading, readContent } from './reading.ts';
import type { StaticVerdict } from './verdict.ts';

/** Most times that a judgement asks for further files: a script, and three levels of what it runs or imports. */
const MAX_ROUNDS = 5;
/** Most files that are read for one command. */
const MAX_FILES = 60;
/** Longest time that is spent reading, in milliseconds. */
const MAX_READING_MS = 50;

type ReadingOptions = {
  /** Something else runs that may write meanwhile: what is missing may be there soon. */
  readonly busy?: boolean;
  /** Milliseconds that may be spent reading; 50 by default. */
  readonly readingMs?: number;
};

/**
 * What a shell command would do, with the files that it runs read and judged (SF-11). The verdict's `basis` says what
 * was read. Runs nothing, calls no model, never rejects.
 */
export async function judgeWithFiles(
  command: string,
  options: JudgeOptions,
  { busy = false, readingMs = MAX_READING_MS }: ReadingOptions = {},
): Promise<StaticVerdict> {
  const known = new Map<string, FileContent>();
  let left = readingMs;
  for (let round = 0; ; round++) {
    const reading = new Reading(known, busy);
    const verdict = judgeCommand(command, { ...options, reading });
    const wanted = [...reading.wanted].slice(0, MAX_FILES - known.size);
    if (wanted.length === 0 || round === MAX_ROUNDS || left <= 0) return verdict;
    // What judging takes does not count: the first of a session, with code that is cold, would leave nothing to read.
    const begun = performance.now();
    const found = await Promise.race([Promise.all(wanted.map(readContent)), after(left)]);
    if (!found) return verdict;
    left -= performance.now() - begun;
    for (const [index, path] of wanted.entries()) known.set(path, found[index] ?? { kind: 'unread' });
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), milliseconds).unref();
  });
}
