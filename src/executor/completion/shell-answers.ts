/** Asks forks of a shell: each fork writes its answer to a file in the shell's private directory. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { RemoteShell } from '../../contracts/machine.ts';
import { shellQuote } from '../../text/shell.ts';
import type { PrivateDirectory } from '../private-directory.ts';
import { processesOf, signal } from '../processes.ts';
import type { Fact, Question } from './complete.ts';

type Completer = {
  readonly code: string;
  readonly arguments: (question: Question, dump: string) => readonly string[];
  readonly keys: string;
};

export class ForkQuestions {
  readonly #directory: PrivateDirectory;
  #asked = 0;
  /** The answer files being waited for. */
  readonly #open = new Set<string>();

  constructor(directory: PrivateDirectory) {
    this.#directory = directory;
  }

  /** Asks the shell for completions, which works only at its prompt. Undefined if no answer comes in time. */
  async ask(
    completer: Completer,
    question: Question,
    signal: AbortSignal,
    send: (keys: string) => void,
  ): Promise<readonly Fact[] | undefined> {
    this.#asked += 1;
    const name = `answer-${this.#asked}`;
    const file = (each: string) => this.#directory.file(each);
    const fields = [file(name), ...completer.arguments(question, file('dump'))];
    try {
      if (this.#asked === 1) writeFileSync(file('completer'), completer.code, { mode: 0o600 });
      writeFileSync(file(name), '', { mode: 0o600 });
      writeFileSync(file('question'), fields.map((field) => `${field.replaceAll('\0', '')}\0`).join(''), {
        mode: 0o600,
      });
    } catch {
      return undefined;
    }
    send(completer.keys);
    const { facts, over } = readAnswer(file(name), signal);
    this.#open.add(file(name));
    void over.then(() => {
      this.#open.delete(file(name));
      this.#directory.discard(name);
    });
    return facts;
  }

  /** A completer has a terminal of its own and would not notice the end of its shell. */
  dispose(): void {
    for (const answer of this.#open) endCompleter(answer);
  }
}

/** Completes a line for a host with the names of the host's files. The remote shell itself is not asked. */
export async function completeRemoteFiles(
  there: RemoteShell,
  question: Question,
  directory: string,
): Promise<readonly Fact[]> {
  const typed = question.words.at(-1) ?? '';
  // Only the remote shell can expand such a word.
  if (/[$`*?[{(]/.test(typed)) return [];
  const start = typed.replace(/^~(?=\/|$)/, there.home).replace(/["'\\]/g, '');
  const names = await there.filesLike(start, directory);
  return names.map((name) => {
    const text = /[^\w./~@%+=:,-]/.test(name) ? shellQuote(name) : name;
    return name.endsWith('/') ? { kind: 'open', text, note: '' } : { kind: 'word', text, note: '' };
  });
}

// A completer's answer: records of three fields, each ended by NUL. The first record is the process id, the last is
// `end`.

/** Milliseconds for a completer; the first one loads its completion rules. Any key ends it sooner. */
export const COMPLETER_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 5;
/** The maximum number of records to read. */
const MAX_RECORDS = 5000;

/** The shell has no completion yet. */
const UNABLE: readonly Fact[] = [];

type Answer = { readonly pid: number | undefined; readonly facts: readonly Fact[] | undefined };

/**
 * Waits for the answer in `path`; undefined after a timeout or if `abort` fires. Then the completer is killed, and
 * `over` resolves when it can't write any more.
 */
function readAnswer(path: string, abort: AbortSignal) {
  const deadline = performance.now() + COMPLETER_TIMEOUT_MS;
  const { promise, resolve } = Promise.withResolvers<readonly Fact[] | undefined>();
  const watch = async () => {
    for (;;) {
      const { pid, facts } = parse(await readFile(path, 'utf8').catch(() => ''));
      if (facts) return resolve(facts === UNABLE ? undefined : facts);
      const late = performance.now() > deadline;
      if (abort.aborted || late) {
        resolve(undefined);
        // A completer that has not started yet has written no process id.
        killCompleter(pid);
        if (pid !== undefined || late) return;
      }
      await new Promise((again) => setTimeout(again, POLL_INTERVAL_MS));
    }
  };
  return { facts: promise, over: watch() };
}

/** Kills the completer that still writes to `path`: its directory is about to be removed. */
function endCompleter(path: string): void {
  try {
    const { pid, facts } = parse(readFileSync(path, 'utf8'));
    if (!facts) killCompleter(pid);
  } catch {
    // The answer arrived just now.
  }
}

function killCompleter(pid: number | undefined): void {
  if (pid !== undefined) for (const each of processesOf(pid)) signal(each, 'SIGKILL');
}

function parse(text: string): Answer {
  const fields = text.split('\0');
  const pid = fields[0] === 'pid' ? Number(fields[1]) : Number.NaN;
  const started = Number.isInteger(pid) && pid > 1 ? pid : undefined;
  // The last field is the text after the last NUL: '' once the answer is complete.
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

/** The prompt can't contain control characters, so such candidates are dropped. */
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
