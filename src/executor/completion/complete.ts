/**
 * Completes a shell line (IN-6): by the running shell's own completion if possible, else by commands on PATH and
 * files.
 */

import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Completion, Completions } from '../../contracts/lines.ts';

/** The most candidates offered: more would be read by nobody and delay the screen. */
const MAX_CANDIDATES = 500;
/** Directory parts that can be expanded without running anything. */
const EXPANDABLE = /^[~$\w{}./+-]*$/;

/** One fact from a shell's answer (see `Question`). */
export type Fact =
  /** A word to insert as it is. */
  | { readonly kind: 'word'; readonly text: string; readonly note: string }
  /** The same, but more of the word may follow. */
  | { readonly kind: 'open'; readonly text: string; readonly note: string }
  /** An unquoted file name from the shell's completion. */
  | { readonly kind: 'file'; readonly text: string; readonly note: string }
  /** Add no space after the completed text. */
  | { readonly kind: 'nospace' }
  /** File names (or directories) fit here; `otherwise`: files if there is nothing else. */
  | { readonly kind: 'files' | 'directories' | 'otherwise' }
  /** The expansion of the current word's directory part. */
  | { readonly kind: 'directory'; readonly text: string };

/** A question to a shell. The answer is a list of facts; the shell's state does not change. */
export type Question = {
  /** The command up to the cursor. */
  readonly line: string;
  /** The words of the line as typed; the last is the current one. */
  readonly words: readonly string[];
  /** The current word as typed, starting inside its open quotes. */
  readonly current: string;
  readonly role: CommandAt['role'];
  readonly quote: CommandAt['quote'];
  /** The current word's directory part, if the shell should expand it; else ''. */
  readonly directory: string;
};

/** Undefined if the shell can't be asked now, or did not answer in time. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<readonly Fact[] | undefined>;

export type CompleteOptions = {
  readonly cwd: string;
  readonly ask: Ask;
  /** The programs on PATH with this prefix, sorted. */
  readonly executables: (start: string) => readonly string[];
};

/** Returns candidates to replace the text from `start` to the cursor. */
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

/** Facts without the shell: programs in command position, files elsewhere. */
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
        // Keep the directory as the user typed it, even if the shell has expanded it.
        const text = expanded ? typed + quoteWord(file.name, at.quote) : path(at, file.path);
        add({ text, label: file.name, ...(file.directory ? { open: true } : {}) });
      }
    }
  }
  return [...found.values()];
}

/** A word from the shell is already quoted. */
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

/** The simple command around the cursor, which a shell's own completion would examine. */

export type Quote = '' | "'" | '"';

type CommandAt = {
  /** The words up to the cursor as typed, without assignments and redirections; the last is the current one. */
  readonly words: readonly string[];
  /** The start of the command. */
  readonly from: number;
  /** The start of the current word. */
  readonly start: number;
  /** The quotes that are open at the cursor. */
  readonly quote: Quote;
  /** The start of the text inside the open quotes; without open quotes the start of the word. */
  readonly quoteStart: number;
  /** The current word with quotes and backslashes resolved. */
  readonly plain: string;
  /** `command`: the first word. `target`: the target of a redirection. */
  readonly role: 'command' | 'argument' | 'target';
};

type Context = {
  words: string[];
  from: number;
  /** The start of the current word; undefined between words. */
  start: number | undefined;
  plain: string;
  target: boolean;
  closer: ')' | '`' | '}' | '';
  /** The quotes around the substitution that contains this context. */
  outer: Quote;
};

/** Words after which a new command begins. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', 'time', '{', 'coproc']);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/**
 * Parses `line` up to `cursor`. Never fails: incomplete commands, open quotes and substitutions are its normal input.
 */
export function commandAt(line: string, cursor: number): CommandAt {
  const text = line.slice(0, cursor);
  const stack: Context[] = [fresh(0, '', '')];
  let context = fresh(0, '', '');
  stack[0] = context;
  let quote = '' as Quote;
  let quoteStart = 0;
  let at = 0;

  const endWord = (end: number) => {
    if (context.start === undefined) return;
    const word = text.slice(context.start, end);
    if (context.target) context.target = false;
    else if (context.words.length > 0) context.words.push(word);
    else if (KEYWORDS.has(word)) context.from = end;
    else if (!ASSIGNMENT.test(word)) context.words.push(word);
    context.start = undefined;
    context.plain = '';
  };
  const begin = () => {
    if (context.start !== undefined) return;
    context.start = at;
    context.plain = '';
    if (context.words.length === 0 && !context.target) context.from = Math.max(context.from, at);
  };
  const newCommand = () => {
    endWord(at);
    context.words = [];
    context.target = false;
    context.from = at + 1;
  };
  const open = (closer: Context['closer'], length: number) => {
    begin();
    at += length;
    context = fresh(at, closer, quote);
    quote = '';
    stack.push(context);
  };
  const close = () => {
    quote = context.outer;
    stack.pop();
    context = stack.at(-1) ?? context;
    at += 1;
  };

  /** Adds a literal character, within quotes or in a word. */
  const plain = (character: string) => {
    context.plain += character;
    at += 1;
  };
  const escaped = () => {
    begin();
    const next = text[at + 1] ?? '';
    context.plain += quote === '"' && !/["$`\\\n]/.test(next) ? `\\${next}` : next;
    at += 2;
  };
  const closes = (character: string) => {
    if (character !== context.closer) return false;
    endWord(at);
    close();
    return true;
  };
  const quoted = (character: string) => {
    if (character !== quote) return plain(character);
    quote = '';
    at += 1;
  };
  const quotes = (character: Quote) => {
    begin();
    quote = character;
    at += 1;
    quoteStart = at;
  };
  const operator = (character: string) => {
    // `>&` and `<&` belong to a redirection, and `&>` starts one.
    if (character !== '&' || !(/[<>]/.test(text[at - 1] ?? '') || text[at + 1] === '>')) newCommand();
    at += 1;
  };
  const redirection = () => {
    // A number directly before a redirection is a descriptor, not a word.
    if (context.start !== undefined && /^\d+$/.test(text.slice(context.start, at))) context.start = undefined;
    endWord(at);
    context.target = true;
    at += 1;
  };
  const blank = (character: string) => {
    if (character === '\n') newCommand();
    else endWord(at);
    at += 1;
  };

  const unquoted = (character: string) => {
    if (character === "'" || character === '"') quotes(character);
    else if (character === ')' && closes(character)) return;
    else if (/\s/.test(character)) blank(character);
    else if (/[;&|()]/.test(character)) operator(character);
    else if (/[<>]/.test(character)) redirection();
    else {
      begin();
      plain(character);
    }
  };

  while (at < text.length) {
    const character = text.charAt(at);
    if (quote === "'") quoted(character);
    else if (character === '\\') escaped();
    else if (character === '$' && text[at + 1] === '(') open(')', 2);
    else if (character === '`') {
      if (!closes(character)) open('`', 1);
    } else if (quote === '"') quoted(character);
    else unquoted(character);
  }
  const start = context.start ?? text.length;
  return {
    words: [...context.words, text.slice(start)],
    from: context.words.length === 0 ? start : context.from,
    start,
    quote,
    quoteStart: quote === '' ? start : quoteStart,
    plain: context.start === undefined ? '' : context.plain,
    role: context.target ? 'target' : context.words.length === 0 ? 'command' : 'argument',
  };
}

function fresh(from: number, closer: Context['closer'], outer: Quote): Context {
  return { words: [], from, start: undefined, plain: '', target: false, closer, outer };
}

/** Characters a shell would interpret in a bare word. `~` and `=` matter only at the start. */
const SPECIAL = /[\s\\'"$`&|;<>()*?[\]{}!#^]/g;

/**
 * Quotes a text so that the shell reads it back unchanged, continuing inside `quote`. A newline can't be escaped, so
 * such a text becomes `$'…'`.
 */
export function quoteWord(text: string, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replace(/["$`\\!]/g, (character) => (character === '!' ? '"\\!"' : `\\${character}`));
  if (text.includes('\n')) return `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  return text.replace(SPECIAL, '\\$&').replace(/^[~=]/, '\\$&');
}

/** The same for a path whose leading `~` must stay unquoted. */
function quotePath(path: string, quote: Quote): string {
  const home = quote === '' ? (/^~[\w.-]*(?=\/|$)/.exec(path)?.[0] ?? '') : '';
  return home + (path === home ? '' : quoteWord(path.slice(home.length), quote));
}

// File names that complete a word.

/** The maximum number of entries to inspect and to offer; a directory may contain a million. */
const MAX_FILES = 500;

type FoundFile = {
  /** The typed path with its last part completed; a directory ends in a slash. */
  readonly path: string;
  readonly name: string;
  readonly directory: boolean;
  /** Whether at least one user may execute the file. */
  readonly executable: boolean;
};

type FileQuery = {
  /** The typed path, without quotes. */
  readonly path: string;
  readonly cwd: string;
  /** The shell's expansion of the path's directory part (`$dir/`, `~name/`). */
  readonly directory?: string;
};

/**
 * Returns the files with this path prefix, sorted; hidden ones only if a dot was typed. Unreadable directories give
 * none.
 */
export async function findFiles({ path, cwd, directory }: FileQuery): Promise<readonly FoundFile[]> {
  const cut = path.lastIndexOf('/') + 1;
  const shown = path.slice(0, cut);
  const start = path.slice(cut);
  const meant = directory ?? shown.replace(/^~(?=\/)/, homedir());
  const folder = isAbsolute(meant) ? meant : join(cwd, meant);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const wanted = entries
    .filter(({ name }) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    // The prompt can't contain control characters.
    .filter(({ name }) => !/[\0-\x1f\x7f]/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_FILES);
  return Promise.all(
    wanted.map(async ({ name }) => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      const isDirectory = facts?.isDirectory() ?? false;
      return {
        path: shown + name + (isDirectory ? '/' : ''),
        name: name + (isDirectory ? '/' : ''),
        directory: isDirectory,
        executable: !isDirectory && ((facts?.mode ?? 0) & 0o111) !== 0,
      };
    }),
  );
}

/** Returns whether a path from a shell's completion is a directory; `~/` is the home directory. */
async function isDirectory(path: string, cwd: string): Promise<boolean> {
  const meant = path.replace(/^~(?=\/)/, homedir());
  const facts = await stat(isAbsolute(meant) ? meant : join(cwd, meant)).catch(() => undefined);
  return facts?.isDirectory() ?? false;
}
