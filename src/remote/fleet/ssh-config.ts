/** The hosts that ssh's configuration names. Only names are taken from it. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { matchesGlob } from '../../text/glob.ts';
import { type Address, isHostName, type Known, MAX_HOSTS } from './names.ts';
import { readBounded } from './read-bounded.ts';

/** As ssh itself: an Include within an Include within … */
const MAX_DEPTH = 16;
const MAX_FILES = 64;
const MAX_FILE_BYTES = 256 * 1024;

/** @param home the user's home directory; `~/.ssh/config` and the system's are read, with what they include */
export async function sshHosts(home: string, system = '/etc/ssh/ssh_config'): Promise<Known> {
  const hosts = new Map<string, Address>();
  const seen = new Set<string>();
  const read = async (path: string, base: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH || seen.size >= MAX_FILES || seen.has(path)) return;
    seen.add(path);
    const text = await readBounded(path, MAX_FILE_BYTES);
    if (text === undefined) return;
    const { names, includes } = readSshConfig(text);
    for (const name of names) if (hosts.size < MAX_HOSTS * 4) hosts.set(name, {});
    for (const pattern of includes) {
      for (const found of await included(pattern, home, base)) await read(found, base, depth + 1);
    }
  };
  await read(join(home, '.ssh/config'), join(home, '.ssh'), 0);
  await read(system, dirname(system), 0);
  return { hosts, groups: new Map() };
}

/** Names of one file, those with a wildcard or a `!` left out, and the files that it includes as written. */
export function readSshConfig(text: string): {
  readonly names: readonly string[];
  readonly includes: readonly string[];
} {
  const names: string[] = [];
  const includes: string[] = [];
  for (const line of text.split('\n')) {
    const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const comment = words.findIndex((word) => word.startsWith('#'));
    const values = comment < 0 ? words : words.slice(0, comment);
    if (keyword.toLowerCase() === 'host')
      names.push(...values.filter((word) => !/[*?!]/.test(word) && isHostName(word)));
    if (keyword.toLowerCase() === 'include') includes.push(...values);
  }
  return { names, includes };
}

async function included(pattern: string, home: string, base: string): Promise<readonly string[]> {
  const plain = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const path = isAbsolute(plain) ? plain : join(base, plain);
  let found: readonly string[] = ['/'];
  for (const part of path.split('/').filter((word) => word !== '')) {
    const below = found.map(async (folder) => {
      if (!/[*?]/.test(part)) return [join(folder, part)];
      const names = await readdir(folder).catch(() => []);
      return names.filter((name) => matchesGlob(name, [part])).map((name) => join(folder, name));
    });
    found = (await Promise.all(below)).flat().slice(0, MAX_FILES);
  }
  return found.filter((each) => existsSync(each)).sort();
}
