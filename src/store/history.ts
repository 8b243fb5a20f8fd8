/** The lines typed at the prompt, kept across sessions (IN-5). Several programs may append to the file at once. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Lines kept; the file is cut to this when it has twice as many. */
const MOST = 10_000;

export type LineHistory = { entries(): readonly string[]; add(line: string): void };

/**
 * Opens the history at `path`: one JSON string a line, 0600. A file that can't be written costs the keeping, nothing else.
 * @param hide the secrets filter: a line that holds a secret is remembered while the program runs and never written (SE-2)
 */
export function openHistory(path: string, hide: (text: string) => string): LineHistory {
  const lines = read(path);
  if (lines.length > 2 * MOST) {
    lines.splice(0, lines.length - MOST);
    quietly(() => rewrite(path, lines));
  }
  return {
    entries: () => lines,
    add(line) {
      if (line.startsWith(' ') || line.trim() === '' || lines.at(-1) === line) return;
      lines.push(line);
      if (hide(line) !== line) return;
      quietly(() => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      });
    },
  };
}

function read(path: string): string[] {
  let text = '';
  quietly(() => {
    text = readFileSync(path, 'utf8');
  });
  const lines: string[] = [];
  for (const row of text.split('\n')) {
    quietly(() => {
      const line: unknown = JSON.parse(row);
      if (typeof line === 'string') lines.push(line);
    });
  }
  return lines;
}

function rewrite(path: string, lines: readonly string[]): void {
  const fresh = `${path}.${process.pid}`;
  const { size } = statSync(path);
  writeFileSync(fresh, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
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
