/** Completion of a shell line (IN-6): the live shell's own where it can be asked, else commands on PATH and files. */
import type { Completion, Completions } from '../../contracts/lines.ts';
import { type CommandAt, commandAt, quotePath, quoteWord } from './command-at.ts';
import { findFiles, isDirectory } from './files.ts';

/** The most candidates offered: more would not be read, and would delay the screen. */
const MAX_CANDIDATES = 500;
/** Parts of a directory that may be expanded without running anything. */
const EXPANDABLE = /^[~$\w{}./+-]*$/;

/** One thing that a shell said (see `Question`). */
export type Fact =
  /** A word to be inserted as it is. */
  | { readonly kind: 'word'; readonly text: string; readonly note: string }
  /** The same, and more of the word may follow. */
  | { readonly kind: 'open'; readonly text: string; readonly note: string }
  /** The name of a file, unquoted, as the shell's completion gave it. */
  | { readonly kind: 'file'; readonly text: string; readonly note: string }
  /** Add no space after the completed text. */
  | { readonly kind: 'nospace' }
  /** File names belong here, or directories; `otherwise`: files where there is nothing else. */
  | { readonly kind: 'files' | 'directories' | 'otherwise' }
  /** The expansion of the current word's directory part. */
  | { readonly kind: 'directory'; readonly text: string };

/** What a shell is asked: it answers with facts, and changes nothing of itself. */
export type Question = {
  /** The command up to the cursor. */
  readonly line: string;
  /** Its words as typed; the last is the current one. */
  readonly words: readonly string[];
  /** The current word as typed, from where its open quotes begin. */
  readonly current: string;
  readonly role: CommandAt['role'];
  readonly quote: CommandAt['quote'];
  /** The current word's directory part, where the shell should expand it; else empty. */
  readonly directory: string;
};

/** Undefined where the shell can't be asked now, or did not answer in time. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<readonly Fact[] | undefined>;

export type CompleteOptions = {
  readonly cwd: string;
  readonly ask: Ask;
  /** Programs on PATH that begin so, sorted. */
  readonly executables: (start: string) => readonly string[];
};

/** What may stand in place of the text from `start` to the cursor. */
export async function completeShell(
  line: string,
  cursor: number,
  { cwd, ask, executables }: CompleteOptions,
  signal: AbortSignal,
): Promise<Completions> {
  const at = commandAt(line, cursor);
  const directory = directoryOf(at);
  const question = {
    line: line.slice(at.from, cursor),
    words: at.words,
    current: line.slice(at.quoteStart, cursor),
    role: at.role,
    quote: at.quote,
    directory: EXPANDABLE.test(directory) && /[$~]/.test(directory) ? directory : '',
  };
  const facts = (await ask(question, signal)) ?? ownFacts(at, executables);
  const typed = question.current.slice(0, question.current.lastIndexOf('/') + 1);
  return { start: at.quoteStart, items: await candidates(at, facts, { cwd, typed }) };
}

function directoryOf({ plain }: CommandAt): string {
  return plain.slice(0, plain.lastIndexOf('/') + 1);
}

/** Without the shell: programs in command position, files elsewhere. */
function ownFacts(at: CommandAt, executables: CompleteOptions['executables']): readonly Fact[] {
  if (at.role !== 'command' || at.plain.includes('/')) return [{ kind: 'files' }];
  return executables(at.plain).map((text): Fact => ({ kind: 'word', text, note: '' }));
}

async function candidates(
  at: CommandAt,
  facts: readonly Fact[],
  /** `typed`: the directory part of the current word as typed. */
  { cwd, typed }: { readonly cwd: string; readonly typed: string },
): Promise<readonly Completion[]> {
  const expanded = facts.find((fact) => fact.kind === 'directory');
  const nospace = facts.some((fact) => fact.kind === 'nospace');
  const found = new Map<string, Completion>();
  const add = (candidate: Completion) => {
    if (found.size < MAX_CANDIDATES && !found.has(candidate.text)) found.set(candidate.text, candidate);
  };
  for (const fact of facts) {
    if (fact.kind === 'word' || fact.kind === 'open') add(asWord(fact, nospace || fact.kind === 'open'));
    else if (fact.kind === 'file') add(await asFile(at, fact, cwd, nospace));
    else if (fact.kind === 'nospace' || fact.kind === 'directory') continue;
    else if (fact.kind !== 'otherwise' || found.size === 0) {
      const directory = expanded?.kind === 'directory' ? { directory: expanded.text } : {};
      for (const file of await findFiles({ path: at.plain, cwd, ...directory })) {
        if (!file.directory && (fact.kind === 'directories' || (at.role === 'command' && !file.executable))) continue;
        // What the shell has expanded stays as it was typed.
        const text = expanded ? typed + quoteWord(file.name, at.quote) : path(at, file.path);
        add({ text, label: file.name, ...(file.directory ? { open: true } : {}) });
      }
    }
  }
  return [...found.values()];
}

/** A word made by the shell is already quoted and is used as it is. */
function asWord({ text, note }: { text: string; note: string }, nospace: boolean): Completion {
  const open = nospace || /[=/:]$/.test(text);
  return { text, ...(note === '' ? {} : { note }), ...(open ? { open } : {}) };
}

async function asFile(
  at: CommandAt,
  { text, note }: { text: string; note: string },
  cwd: string,
  nospace: boolean,
): Promise<Completion> {
  const directory = await isDirectory(text, cwd);
  const whole = directory && !text.endsWith('/') ? `${text}/` : text;
  return {
    text: path(at, whole),
    label: whole.slice(whole.lastIndexOf('/', whole.length - 2) + 1),
    ...(note === '' ? {} : { note }),
    ...(nospace || directory ? { open: true } : {}),
  };
}

function path(at: CommandAt, text: string): string {
  return at.plain.startsWith('~') ? quotePath(text, at.quote) : quoteWord(text, at.quote);
}
