/** Tab completion (IN-6): meta commands and their arguments, executables, files. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Aish } from './aish.ts';
import { commands } from './table.ts';

const MOST = 200;

/**
 * The words that may stand in place of the word before `cursor`, sorted. A directory ends in a slash.
 * @param executables the commands on PATH that start so, sorted
 */
export async function completeLine(
  aish: Aish,
  line: string,
  cursor: number,
  executables: (start: string) => readonly string[],
): Promise<readonly string[]> {
  const before = line.slice(0, cursor);
  const meta = /^:(\S*)$/.exec(before);
  if (meta)
    return starting(
      commands.map((command) => `:${command.name}`),
      before,
    );
  const argument = /^:(\S+)\s+(\S*)$/.exec(before);
  if (argument) {
    const command = commands.find((candidate) => candidate.name === argument[1]);
    return starting(command?.arguments?.(aish) ?? [], argument[2] ?? '');
  }
  const word = /(?:\\.|[^\s\\])*$/.exec(before)?.[0] ?? '';
  const first = /(?:^!?!?|[|;&(]\s*)$/.test(before.slice(0, before.length - word.length).trimStart());
  if (first && !word.includes('/')) return executables(word);
  return files(word, aish.engine.state.shell.cwd);
}

function starting(words: readonly string[], start: string): readonly string[] {
  return [...new Set(words.filter((word) => word.startsWith(start)))].sort().slice(0, MOST);
}

async function files(word: string, cwd: string): Promise<readonly string[]> {
  const plain = word.replace(/\\(.)/g, '$1');
  const cut = plain.lastIndexOf('/') + 1;
  const shown = plain.slice(0, cut);
  const start = plain.slice(cut);
  const expanded = shown.replace(/^~(?=\/)/, homedir());
  const folder = isAbsolute(expanded) ? expanded : join(cwd, expanded);
  const entries = await readdir(cut === 0 ? cwd : folder.endsWith('/') ? folder : dirname(folder), {
    withFileTypes: true,
  }).catch(() => []);
  return entries
    .filter((entry) => entry.name.startsWith(start) && (start.startsWith('.') || !entry.name.startsWith('.')))
    .map((entry) => quote(shown + entry.name) + (entry.isDirectory() ? '/' : ''))
    .sort()
    .slice(0, MOST);
}

function quote(path: string): string {
  return path.replace(/([\s\\'"$`&|;<>()*?[\]{}!#])/g, '\\$1');
}
