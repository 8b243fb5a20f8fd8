import { type JudgeOptions, judgeCommand } from './judge.ts';
import { type FileContent, type ReadFile, Reading, readContent } from './reading.ts';
import { destructive, type StaticVerdict, worse } from './verdict.ts';

/** Most times that a judgement asks for further files: a script, and three levels of what it runs or imports. */
const MAX_ROUNDS = 5;
/** Most files that are read for one command. */
const MAX_FILES = 60;
/** Longest time that is spent waiting for files, in milliseconds. */
const MAX_READING_MS = 1000;
/** What the program is busy with meanwhile counts as so much at most, in milliseconds. */
const TICK_MS = 50;

type ReadingOptions = {
  /** Something else runs that may write meanwhile: what is missing may be there soon. */
  readonly busy?: boolean;
  /** Milliseconds that may be spent waiting for files; 1000 by default. */
  readonly readingMs?: number;
  /** How a file is read; `readContent` by default. */
  readonly read?: ReadFile;
};

/**
 * What a shell command would do, with the files that it runs read and judged (SF-11). The verdict's `basis` says what
 * was read. What could not be read in time counts as destructive: nobody may vouch for a text that was there to be seen
 * and was not. Runs nothing, calls no model, never rejects.
 */
export async function judgeWithFiles(
  command: string,
  options: JudgeOptions,
  { busy = false, readingMs = MAX_READING_MS, read = readContent }: ReadingOptions = {},
): Promise<StaticVerdict> {
  const known = new Map<string, FileContent>();
  const patience = new Patience(readingMs);
  for (let round = 0; ; round++) {
    const reading = new Reading(known, busy);
    const verdict = judgeCommand(command, { ...options, reading });
    const wanted = [...reading.wanted].slice(0, MAX_FILES - known.size);
    if (wanted.length === 0 || round === MAX_ROUNDS) return verdict;
    // What judging takes does not count: the first of a session, with code that is cold, would leave nothing to read.
    const found = await patience.wait(Promise.all(wanted.map(async (path) => [path, await read(path)] as const)));
    if (!found) return worse(verdict, unseen(command));
    for (const [path, content] of found) known.set(path, content);
  }
}

function unseen(command: string): StaticVerdict {
  return destructive('unresolved code', 'runs a file that could not be read in time', [0, command.length]);
}

/** A time that is waited for at most, over several waits; a turn of the event loop counts as one tick, however long. */
class Patience {
  #left: number;

  constructor(milliseconds: number) {
    this.#left = milliseconds;
  }

  /** Its value, or undefined once the time is over. */
  async wait<T>(promise: Promise<T>): Promise<T | undefined> {
    const found = promise.then((value) => ({ value }));
    while (this.#left > 0) {
      const tick = Math.min(TICK_MS, this.#left);
      const ended = await Promise.race([found, after(tick)]);
      if (ended) return ended.value;
      this.#left -= tick;
    }
    return undefined;
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), milliseconds).unref();
  });
}
