/** The answer of a completer: a file of records, each three fields ended by NUL, the first of them the process, the last `end`. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { processesOf, signal } from '../processes.ts';
import type { Fact } from './complete.ts';

/** How long a completer may take. Ms. */
const ANSWER_TIMEOUT_MS = 1500;
const POLL_INTERVAL_MS = 5;
/** Records read at most. */
const MAX_RECORDS = 5000;

/** The shell has no completion to ask yet. */
const UNABLE: readonly Fact[] = [];

type Answer = { readonly pid: number | undefined; readonly facts: readonly Fact[] | undefined };

/**
 * Waits for the answer in `path`; undefined when it takes too long or `abort` fires. The completer is killed then, and the
 * promise `over` resolves when nothing of it can write any more.
 */
export function readAnswer(path: string, abort: AbortSignal) {
  const deadline = performance.now() + ANSWER_TIMEOUT_MS;
  const { promise, resolve } = Promise.withResolvers<readonly Fact[] | undefined>();
  const watch = async () => {
    for (;;) {
      const { pid, facts } = parse(await readFile(path, 'utf8').catch(() => ''));
      if (facts) return resolve(facts === UNABLE ? undefined : facts);
      const late = performance.now() > deadline;
      if (abort.aborted || late) {
        resolve(undefined);
        // One that has not begun yet has no number yet.
        killCompleter(pid);
        if (pid !== undefined || late) return;
      }
      await new Promise((again) => setTimeout(again, POLL_INTERVAL_MS));
    }
  };
  return { facts: promise, over: watch() };
}

/** Ends the completer that still writes to `path`, at once: the folder of the answer is about to go. */
export function endCompleter(path: string): void {
  try {
    const { pid, facts } = parse(readFileSync(path, 'utf8'));
    if (!facts) killCompleter(pid);
  } catch {
    // It was answered just now.
  }
}

function killCompleter(pid: number | undefined): void {
  if (pid !== undefined) for (const each of processesOf(pid)) signal(each, 'SIGKILL');
}

function parse(text: string): Answer {
  const fields = text.split('\0');
  const pid = fields[0] === 'pid' ? Number(fields[1]) : Number.NaN;
  const started = Number.isInteger(pid) && pid > 1 ? pid : undefined;
  // The last field is what follows the last NUL: empty, once the answer is complete.
  const whole = fields.at(-1) === '' && fields.at(-4) === 'end';
  if (!whole) return { pid: started, facts: undefined };
  if (fields.includes('unable')) return { pid: started, facts: UNABLE };
  const facts: Fact[] = [];
  for (let at = 0; at + 2 < fields.length && facts.length < MAX_RECORDS; at += 3) {
    const fact = factOf(fields[at] ?? '', fields[at + 1] ?? '', fields[at + 2] ?? '');
    if (fact) facts.push(fact);
  }
  return { pid: started, facts };
}

/** A prompt holds lines of text: a candidate with control characters can't be offered. */
function factOf(kind: string, text: string, note: string): Fact | undefined {
  if (/[\0-\x1f\x7f-\x9f]/.test(text)) return undefined;
  switch (kind) {
    case 'word':
    case 'open':
    case 'file':
      return text === '' ? undefined : { kind, text, note: note.replace(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim() };
    case 'directory':
      return { kind, text };
    case 'nospace':
    case 'files':
    case 'directories':
    case 'otherwise':
      return { kind };
    default:
      return undefined;
  }
}
