import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Sight } from '../../contracts/machine.ts';
import { count, existing } from './files.ts';
import { countMatches } from './find.ts';
import { identities } from './targets.ts';

/** What can be seen of this machine. */
export const localSight: Sight = {
  get home() {
    return homedir();
  },
  files: { existing, count, matches: countMatches, identities },
  processes: processImpact,
};

/** The name of a process, from /proc; undefined where it is not there to be seen. */
async function nameOf(pid: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const line = text.replaceAll('\0', ' ').trim();
  const short = line === '' ? (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() : line;
  return short.slice(0, 80).replace(/[\u0000-\u001f\u007f-\u009f]/g, '�');
}

/** Lines that name the processes a kill would end. */
async function processImpact(ids: readonly string[], names: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const id of ids.slice(0, 5)) {
    const pid = id.replace(/^-/, '');
    const name = await nameOf(pid);
    if (name !== undefined) lines.push(`process ${pid}: ${name}`);
  }
  if (names.length === 0) return lines;
  const all = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry)).slice(0, 2000);
  for (const wanted of names.slice(0, 3)) {
    const hits: string[] = [];
    for (const pid of all) {
      if (pid === String(process.pid)) continue;
      const name = await nameOf(pid);
      if (name?.includes(wanted)) hits.push(pid);
    }
    if (hits.length > 0)
      lines.push(
        `${hits.length} ${hits.length === 1 ? 'process' : 'processes'} with "${wanted}": ${hits.slice(0, 8).join(', ')}`,
      );
  }
  return lines;
}
