/**
 * The lines typed at the prompt, kept across sessions, merged with those of the user's shell (IN-5). Several programs
 * may append to the file at once.
 */
import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { LineFacts, LineHistory } from '../contracts/store.ts';
import { makeDirectory } from '../text/files.ts';
import { isJsonObject, parseJson } from '../text/json.ts';

/** How many lines are kept; a file with twice as many lines is shortened to this number. */
const MAX_LINES = 10_000;
/** The most bytes that are read; of a larger file the end. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * A row of the file: a line of the user's as a string; one of the agent's as an object, so that the line itself needs
 * no mark; or facts about a line that ran.
 */
type Row = string | { readonly line: string; readonly by: 'agent' } | ({ readonly ran: string } & LineFacts);

export type ShellHistoryFile = { readonly path: string; readonly format: HistoryFormat };

/**
 * Opens the history at `path`: one JSON row a line, 0600. If the file can't be written, lines last only for the
 * session.
 * @param hide the secrets filter: a line that contains a secret is remembered while the program runs and never
 * written (SE-2)
 * @param shell returns undefined while the shell's file is unknown, or if it has none
 */
export function openHistory(
  path: string,
  hide: (text: string) => string,
  shell: () => ShellHistoryFile | undefined = () => undefined,
): LineHistory {
  const agents = new Set<string>();
  const facts = new Map<string, LineFacts>();
  const file = new GrowingFile(path, MAX_BYTES);
  /** Our own rows that have not been read back yet. */
  const written = new Set<string>();
  /** The lines of this program, and those of the shell. */
  let mine: string[] = [];
  let kept: readonly KeptLine[] = [];
  /** All lines in order: a new array whenever more than its end has changed. */
  let lines: string[] = [];
  let followed: { readonly of: ShellHistoryFile; readonly file: GrowingFile } | undefined;
  /** Lines that the shell will write too, and that already have their place. */
  const expected = new Set<string>();
  const told = new Set<string>();

  /** Applies a row and returns its line, if it is one. */
  const lineOf = (row: Row): string | undefined => {
    if (typeof row === 'string') agents.delete(row);
    else if ('ran' in row) {
      const { ran, ...rest } = row;
      facts.set(ran, rest);
      return undefined;
    } else agents.add(row.line);
    return typeof row === 'string' ? row : row.line;
  };
  const put = (line: string) => {
    mine.push(line);
    lines.push(line);
  };
  const arrange = () => {
    const own = mine.map((line) => ({ line, at: facts.get(line)?.at }));
    lines = kept.length === 0 ? [...mine] : merged(own, kept);
  };
  const followOwn = () => {
    const news = file.read();
    if (!news) return;
    if (news.anew) mine = [];
    for (const text of news.data.toString('utf8').split('\n')) {
      if (written.delete(text) && !news.anew) continue;
      const row = rowOf(text);
      const line = row === undefined ? undefined : lineOf(row);
      if (line === undefined) continue;
      if (news.anew) mine.push(line);
      else put(line);
    }
    if (news.anew) arrange();
  };
  const followShell = () => {
    const where = shell();
    if (where && (where.path !== followed?.of.path || where.format !== followed.of.format))
      followed = { of: where, file: new GrowingFile(where.path, MAX_BYTES) };
    const news = followed?.file.read();
    if (!news || !followed) return;
    const found = linesOf(news.data, followed.of.format);
    for (const { line, at } of found) if (at !== undefined && !facts.has(line)) facts.set(line, { at });
    kept = news.anew ? found : [...kept, ...found];
    if (news.anew) arrange();
    else for (const { line } of found) if (!expected.delete(line)) lines.push(line);
  };
  const write = (line: string, row: Row) => {
    if (hide(line) !== line) return;
    const text = JSON.stringify(row);
    quietly(() => {
      makeDirectory(dirname(path));
      if (!file.append(`${text}\n`, 0o600)) written.add(text);
    });
  };
  const keep = (line: string, agent: boolean) => {
    if (line.startsWith(' ') || line.trim() === '') return;
    followOwn();
    if (mine.at(-1) === line && agents.has(line) === agent) return;
    if (agent) agents.add(line);
    else agents.delete(line);
    put(line);
    write(line, agent ? { line, by: 'agent' } : line);
  };

  followOwn();
  if (mine.length > 2 * MAX_LINES) {
    mine.splice(0, mine.length - MAX_LINES);
    arrange();
    quietly(() =>
      rewrite(
        path,
        mine.flatMap((line) => rowsOf(line, agents, facts)),
      ),
    );
  }
  return {
    entries() {
      followOwn();
      followShell();
      return lines;
    },
    add(line, command) {
      if (command !== undefined && !line.startsWith(' ')) {
        expected.add(command);
        told.add(command);
      }
      keep(line, false);
    },
    addAgents: (line) => keep(line, true),
    isAgents: (line) => agents.has(line),
    factsOf: (line) => facts.get(line),
    ended(command, known) {
      if (!told.has(command)) return;
      facts.set(command, known);
      write(command, { ran: command, ...known });
    },
  };
}

function rowsOf(line: string, agents: ReadonlySet<string>, facts: ReadonlyMap<string, LineFacts>): readonly Row[] {
  const known = facts.get(line);
  return [agents.has(line) ? { line, by: 'agent' } : line, ...(known ? [{ ran: line, ...known }] : [])];
}

/** Parses a row of the file; undefined where it can't be read. */
function rowOf(text: string): Row | undefined {
  const value = parseJson(text);
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  const { line, ran, at, cwd, exit } = value;
  if (typeof line === 'string') return { line, by: 'agent' };
  if (typeof ran !== 'string') return undefined;
  return {
    ran,
    ...(typeof at === 'number' ? { at } : {}),
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof exit === 'number' ? { exit } : {}),
  };
}

function rewrite(path: string, rows: readonly Row[]): void {
  const fresh = `${path}.${process.pid}`;
  const { size } = statSync(path);
  writeFileSync(fresh, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { mode: 0o600 });
  // If another program added a line since then, the file is left alone and cut next time.
  if (statSync(path).size === size) renameSync(fresh, path);
  else rmSync(fresh);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The history is not essential; the line itself was submitted.
  }
}

// A file of rows to which several programs append. Reading returns the new rows; without new rows it costs one stat.

class GrowingFile {
  readonly path: string;
  readonly #maxBytes: number;
  #inode = -1;
  #end = 0;

  /** @param maxBytes only this much of the end of a larger file is read */
  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the complete rows that are new since the last call, or undefined; `anew` is true if the file was
   * replaced.
   */
  read(): { readonly anew: boolean; readonly data: Buffer } | undefined {
    let file: number | undefined;
    try {
      const { ino, size } = statSync(this.path);
      if (ino === this.#inode && size === this.#end) return undefined;
      file = openSync(this.path, 'r');
      return this.#readFrom(file);
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /**
   * Appends a row. Returns true if nobody else has written since the last read; else false, and the next read returns
   * the row too. Throws on a write error; creates the file with `mode`, but not its directory.
   */
  append(row: string, mode: number): boolean {
    const file = openSync(this.path, 'a', mode);
    try {
      appendFileSync(file, row);
      const { ino, size } = fstatSync(file);
      const alone = ino === this.#inode && size === this.#end + Buffer.byteLength(row);
      if (alone) this.#end = size;
      return alone;
    } finally {
      closeSync(file);
    }
  }

  #readFrom(file: number): { readonly anew: boolean; readonly data: Buffer } | undefined {
    const { ino, size } = fstatSync(file);
    const anew = ino !== this.#inode || size < this.#end;
    const from = anew ? Math.max(0, size - this.#maxBytes) : this.#end;
    const data = Buffer.alloc(size - from);
    const read = readSync(file, data, 0, data.length, from);
    // An incomplete row is read once it is complete.
    const whole = data.lastIndexOf(0x0a, read - 1) + 1;
    this.#inode = ino;
    this.#end = from + whole;
    return whole === 0 && !anew ? undefined : { anew, data: data.subarray(0, whole) };
  }
}

// Merges two histories: lines typed at this program's prompt, and the shell's.

/** A shell stores whole seconds, from when the line reaches it: two times this close are the same run. In ms. */
const SAME_RUN_MS = 5000;

/** A line of this program's own history; `at` in ms since the epoch, where it is known. */
type OwnLine = { readonly line: string; readonly at: number | undefined };

/**
 * Returns all lines, each once, at its newest place, oldest first. Lines are ordered by time where both have one. A
 * line without a time follows its predecessor in its own history; shell lines without times are aligned by the lines
 * that both have.
 */
export function merged(own: readonly OwnLine[], shells: readonly KeptLine[]): string[] {
  const times = new Map(own.flatMap(({ line, at }) => (at === undefined ? [] : [[line, at] as const])));
  const mine = newest(own);
  const theirs = newest(shells.map(({ line, at }) => ({ line, at: at ?? times.get(line) })));
  // A line in both histories is placed at its last run.
  const [when, ran] = [placesOf(mine), placesOf(theirs)];
  const left = mine.filter(({ line, at }) => at > (ran.get(line) ?? -Infinity) + SAME_RUN_MS);
  const right = theirs.filter(({ line, at }) => at + SAME_RUN_MS >= (when.get(line) ?? -Infinity));
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    const takesOwn = b === undefined || (a !== undefined && a.at < b.at);
    lines.push((takesOwn ? a : b)?.line ?? '');
    if (takesOwn) i += 1;
    else j += 1;
  }
  return lines;
}

type Placed = { readonly line: string; readonly at: number };

function placesOf(lines: readonly Placed[]): ReadonlyMap<string, number> {
  return new Map(lines.map(({ line, at }) => [line, at]));
}

/** Returns each line once, at its newest place, with times that never decrease. */
function newest(lines: readonly OwnLine[]): readonly Placed[] {
  const seen = new Set<string>();
  const last: OwnLine[] = [];
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const each = lines[index];
    if (each === undefined || seen.has(each.line)) continue;
    seen.add(each.line);
    last.push(each);
  }
  let now = 0;
  return last.reverse().map(({ line, at }) => {
    now = Math.max(now, at ?? 0);
    return { line, at: now };
  });
}

// Reads a shell's own history file (IN-5). Only the shell writes it, by its own rules.

/** The format of a history file, which differs by shell. */
export type HistoryFormat = 'bash' | 'zsh' | 'fish';

/** A line of the shell's history; `at` in ms since the epoch, where the file has times. */
type KeptLine = { readonly line: string; readonly at?: number };

/** Marks lines of the agent's that were added to the shell's history (EX-11). */
const AGENTS = ': aish; ';

/** Returns the lines of a history file, oldest first, without the agent’s and those that a prompt can’t contain. */
export function linesOf(data: Buffer, format: HistoryFormat): readonly KeptLine[] {
  const rows = (format === 'zsh' ? withoutMeta(data) : data).toString('utf8').split('\n');
  rows.pop();
  const found = { bash: bashLines, zsh: zshLines, fish: fishLines }[format](rows);
  return found.filter(
    ({ line }) => line.trim() !== '' && !line.startsWith(AGENTS) && !/[\0-\x08\x0b-\x1f\x7f]/.test(line),
  );
}

/** Groups rows to commands: with times, a command is all rows up to the next time; without, each row is one. */
function bashLines(rows: readonly string[]): KeptLine[] {
  const found: { line: string; at?: number }[] = [];
  let at: number | undefined;
  let begun = false;
  for (const row of rows) {
    const time = /^#(\d{9,11})$/.exec(row)?.[1];
    const last = found.at(-1);
    if (time !== undefined) {
      at = Number(time) * 1000;
      begun = false;
    } else if (begun && last) last.line += `\n${row}`;
    else {
      found.push(at === undefined ? { line: row } : { line: row, at });
      begun = at !== undefined;
    }
  }
  return found;
}

/** `: BEGUN:SECONDS;LINE`, or the line alone; a newline within a line follows a backslash. */
function zshLines(rows: readonly string[]): KeptLine[] {
  const found: KeptLine[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    let row = rows[index] ?? '';
    while (/(?:^|[^\\])(?:\\\\)*\\$/.test(row) && index + 1 < rows.length) {
      index += 1;
      row = `${row.slice(0, -1)}\n${rows[index] ?? ''}`;
    }
    const [, time, line] = /^: (\d+):\d+;([\s\S]*)$/.exec(row) ?? [];
    found.push(time === undefined ? { line: row } : { line: line ?? '', at: Number(time) * 1000 });
  }
  return found;
}

/** A list in YAML's form: `- cmd: LINE`, `  when: TIME`, and paths, which are ignored. */
function fishLines(rows: readonly string[]): KeptLine[] {
  const found: { line: string; at?: number }[] = [];
  for (const row of rows) {
    const line = /^- cmd: ?(.*)$/.exec(row)?.[1];
    const time = /^\s+when: (\d+)$/.exec(row)?.[1];
    const last = found.at(-1);
    if (line !== undefined) found.push({ line: line.replace(/\\(n|\\)/g, (_, sign) => (sign === 'n' ? '\n' : '\\')) });
    else if (time !== undefined && last) last.at = Number(time) * 1000;
  }
  return found;
}

/** zsh writes some bytes as two: 0x83 and the byte with its sixth bit inverted. */
function withoutMeta(data: Buffer): Buffer {
  if (!data.includes(0x83)) return data;
  const plain = Buffer.alloc(data.length);
  let length = 0;
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    if (byte === 0x83 && at + 1 < data.length) {
      at += 1;
      plain[length] = (data[at] ?? 0) ^ 32;
    } else plain[length] = byte;
    length += 1;
  }
  return plain.subarray(0, length);
}
