/** The lines typed at the prompt, kept across sessions, beside those of the user's shell (IN-5). Several programs may append to the file at once. */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LineFacts, LineHistory } from '../contracts/store.ts';
import { isJsonObject, parseJson } from '../text/json.ts';
import { GrowingFile } from './growing-file.ts';
import { merged } from './merge-history.ts';
import { type HistoryFormat, type KeptLine, linesOf } from './shell-history.ts';

/** Lines kept; the file is cut to this when it has twice as many. */
const MAX_LINES = 10_000;
/** Of a larger file only the end is read. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * A row of the file: a line of the user's as a string, one of the agent's as an object, whose mark is never in the line;
 * and what is known of a line that ran.
 */
type Row = string | { readonly line: string; readonly by: 'agent' } | ({ readonly ran: string } & LineFacts);

/** Where the user's shell keeps its own. */
export type ShellHistoryFile = { readonly path: string; readonly format: HistoryFormat };

/**
 * Opens the history at `path`: one JSON row a line, 0600. A file that can't be written costs the keeping, nothing else.
 * @param hide the secrets filter: a line that holds a secret is remembered while the program runs and never written (SE-2)
 * @param shell undefined while it is not known, and where the shell keeps none
 */
export function openHistory(
  path: string,
  hide: (text: string) => string,
  shell: () => ShellHistoryFile | undefined = () => undefined,
): LineHistory {
  const agents = new Set<string>();
  const facts = new Map<string, LineFacts>();
  const file = new GrowingFile(path, MAX_BYTES);
  /** Rows of ours that will be read back. */
  const written = new Set<string>();
  /** This program's own, and the shell's. */
  let mine: string[] = [];
  let kept: readonly KeptLine[] = [];
  /** In the order they are offered: a new list where not only its end has changed. */
  let lines: string[] = [];
  let followed: { readonly of: ShellHistoryFile; readonly file: GrowingFile } | undefined;
  /** Lines that the shell will keep too: they have their place. */
  const expected = new Set<string>();
  const told = new Set<string>();

  /** Takes in what a row says; the line of it, if it is one. */
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
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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

/** What a row of the file says; undefined where it can't be read. */
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
  // Another program that added a line meanwhile keeps it; the file is cut next time.
  if (statSync(path).size === size) renameSync(fresh, path);
  else rmSync(fresh);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The history is a comfort; the line itself was taken.
  }
}
