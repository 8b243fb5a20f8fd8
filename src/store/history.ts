/** The lines typed at the prompt, kept across sessions (IN-5). Several programs may append to the file at once. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LineHistory } from '../contracts/store.ts';
import { parseJson } from '../text/json.ts';

/** Lines kept; the file is cut to this when it has twice as many. */
const MAX_LINES = 10_000;

/** A row of the file: a line of the user's as a string, one of the agent's as an object. The mark is never in the line. */
type Row = string | { readonly line: string; readonly by: 'agent' };

/**
 * Opens the history at `path`: one JSON row a line, 0600. A file that can't be written costs the keeping, nothing else.
 * @param hide the secrets filter: a line that holds a secret is remembered while the program runs and never written (SE-2)
 */
export function openHistory(path: string, hide: (text: string) => string): LineHistory {
  const agents = new Set<string>();
  const lines = read(path, agents);
  const rowOf = (line: string): Row => (agents.has(line) ? { line, by: 'agent' } : line);
  if (lines.length > 2 * MAX_LINES) {
    lines.splice(0, lines.length - MAX_LINES);
    quietly(() => rewrite(path, lines.map(rowOf)));
  }
  const keep = (line: string, agent: boolean) => {
    if (line.startsWith(' ') || line.trim() === '') return;
    if (lines.at(-1) === line && agents.has(line) === agent) return;
    if (agent) agents.add(line);
    else agents.delete(line);
    lines.push(line);
    if (hide(line) !== line) return;
    quietly(() => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, `${JSON.stringify(rowOf(line))}\n`, { mode: 0o600 });
    });
  };
  return {
    entries: () => lines,
    add: (line) => keep(line, false),
    addAgents: (line) => keep(line, true),
    isAgents: (line) => agents.has(line),
  };
}

function read(path: string, agents: Set<string>): string[] {
  let text = '';
  quietly(() => {
    text = readFileSync(path, 'utf8');
  });
  const lines: string[] = [];
  for (const row of text.split('\n')) {
    quietly(() => {
      const value = parseJson(row);
      const isAgents = typeof value === 'object' && value !== null && 'line' in value;
      const line = isAgents ? value.line : value;
      if (typeof line !== 'string') return;
      if (isAgents) agents.add(line);
      else agents.delete(line);
      lines.push(line);
    });
  }
  return lines;
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
