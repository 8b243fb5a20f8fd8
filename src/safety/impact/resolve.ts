import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Targets } from '../../contracts/gate.ts';
import type { Machine, Named } from '../../contracts/machine.ts';
import { directoryAt } from '../../session/place.ts';
import { expanded } from './files.ts';
import { survey } from './targets.ts';

/** Paths that are looked at; a pattern may name more. */
const MAX_RESOLVED = 2000;
/** Links behind each other that the kernel follows. */
const MAX_LINKS = 40;

/** What the paths that a command names stand for now: real paths, devices and inodes, patterns expanded (SF-13). Reads only. */
export async function resolveTargets(
  command: string,
  place: string,
  { files, home }: Pick<Machine, 'files' | 'home'>,
): Promise<Targets> {
  const cwd = directoryAt(place);
  const named = [{ path: '.', glob: false, cwd }, ...survey(command, cwd, home).named];
  return { command, cwd: place, found: await files.identities(named) };
}

/** Do they still stand for the same? */
export async function areSame(
  { command, cwd, found }: Targets,
  machine: Pick<Machine, 'files' | 'home'>,
): Promise<boolean> {
  const now = await resolveTargets(command, cwd, machine);
  return now.found.length === found.length && now.found.every((line, at) => line === found[at]);
}

/** The lines for paths of this machine. */
export async function identities(named: readonly Named[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const each of named) {
    const paths = [...(await expanded(each, MAX_RESOLVED))].sort();
    const { path } = each;
    if (paths.length === 0) lines.push(await missing(isAbsolute(path) ? path : join(each.cwd, path)));
    for (const found of paths) lines.push(await identity(found));
    if (lines.length > MAX_RESOLVED) break;
  }
  return lines;
}

async function identity(path: string): Promise<string> {
  const [real, stats] = await Promise.all([realpath(path).catch(() => '?'), stat(path).catch(() => undefined)]);
  if (stats) return `${path} → ${real} ${stats.dev}:${stats.ino}`;
  return `${[path, ...(await linksOf(path))].join(' → ')} leads nowhere`;
}

/** Where a link that leads nowhere points, link by link: a write through it makes the file at its end. */
async function linksOf(path: string, most = MAX_LINKS): Promise<readonly string[]> {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined || most === 0) return [];
  const around = await realpath(dirname(path)).catch(() => '?');
  const next = resolve(around, target);
  return [next, ...(await linksOf(next, most - 1))];
}

/** Nothing is there: what is around it must stay the same, or it would come to be elsewhere. */
async function missing(path: string): Promise<string> {
  const around = await realpath(join(path, '..')).catch(() => '?');
  return `${path} → nothing in ${around}`;
}
