import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Count, Sight } from '../../contracts/machine.ts';
import type { Finding } from '../../session/action.ts';
import { directoryAt } from '../../session/place.ts';
import { ASKS_GIT, readContent } from '../files.ts';
import { withFilesRead } from '../judge.ts';
import type { Part } from '../verdict.ts';
import { count, countMatches, countText, existing, MAX_NAMES, shown } from './files.ts';
import { type GitReader, gitImpact, gitReader, trackedText, type Wrap } from './git.ts';
import { identities, type Survey, survey, type Touched } from './targets.ts';

/** The longest time for the whole preview, in ms (HA-5). */
const PREVIEW_TIMEOUT_MS = 300;
/** The part of the time reserved for git, in ms. */
const RESERVE_MS = 100;
const MAX_LINES = 6;
/** A name without blanks and special characters. */
const PLAIN_NAME = /^[\w@%+=:,./~-]{1,60}$/;
const MAX_PARTS = 12;

/** What one part of a command would lose, in lines. */
export type PartImpact = {
  readonly part: Part;
  readonly lines: readonly string[];
  /** Whether the line is only worth showing where the part is dangerous for another reason. */
  readonly isBesides?: boolean;
};

type Look = {
  readonly machine: Sight;
  /** Reads git data; undefined on a host, where git would run programs that the repository configures. */
  readonly git: GitReader | undefined;
  readonly cwd: string;
  readonly time: LookTime;
};

/**
 * Returns what would be destroyed (HA-5), part by part, in short lines for the HALT; empty where reading can't tell.
 * Never changes anything, never rejects, and takes about 300 ms at most, or a second on a busy program.
 * @param milliseconds the longest time, in place of the default
 */
export async function previewImpact(
  command: string,
  place: string,
  machine: Sight,
  wrap?: Wrap,
  milliseconds = PREVIEW_TIMEOUT_MS,
): Promise<readonly PartImpact[]> {
  // At a start or a resume other work comes first, so the time counts from when this turn begins.
  await new Promise((resolve) => setImmediate(resolve));
  const cwd = directoryAt(place);
  const git = machine.host === undefined ? gitReader(wrap) : undefined;
  const look = { machine, git, cwd, time: new LookTime(milliseconds) };
  const parts: PartImpact[] = [];
  const { touched, besides } = await surveyed(command, cwd, machine);
  for (const each of [...touched, ...besides].slice(0, MAX_PARTS)) {
    const lines = await impactOf(each, look);
    const isBesides = besides.includes(each);
    if (lines.length > 0)
      parts.push({ part: each.part, lines: lines.slice(0, MAX_LINES), ...(isBesides && { isBesides }) });
  }
  return parts;
}

/** Reads the files that the command runs, such as a makefile, if they are on this machine. */
async function surveyed(command: string, cwd: string, { home, host }: Sight): Promise<Survey> {
  if (host !== undefined) return survey(command, cwd, home);
  const [found] = await withFilesRead((reading) => survey(command, cwd, home, reading), {
    readingMs: RESERVE_MS,
    // Only `gitReader` may ask git, since it lets no program of the repository run.
    read: async (path) => (path.startsWith(ASKS_GIT) ? { kind: 'unread', stamp: '' } : readContent(path)),
  });
  return found;
}

/** Attaches to each finding the lines on its losses, and returns the remaining lines. */
export function withImpact(findings: readonly Finding[], parts: readonly PartImpact[]) {
  const left = new Set(parts);
  const placed = findings.map((finding): Finding => {
    const mine = parts.filter((each) => left.has(each) && within(each.part, finding.part));
    for (const each of mine) left.delete(each);
    return mine.length === 0 ? finding : { ...finding, impact: mine.flatMap(({ lines }) => lines) };
  });
  return { findings: placed, rest: [...left].flatMap(({ lines, isBesides }) => (isBesides ? [] : lines)) };
}

function within([from, to]: Part, [start, end]: Part): boolean {
  return from >= start && to <= end && to > from;
}

async function impactOf(touched: Touched, look: Look): Promise<readonly string[]> {
  switch (touched.kind) {
    case 'deletes':
    case 'overwrites':
      return fileImpact(touched, look);
    case 'finds':
      return matchImpact(
        await look.machine.files.matches(touched.words, touched.cwd, () => look.time.isOver(RESERVE_MS)),
        look.cwd,
      );
    case 'git':
      return look.git
        ? gitImpact(look.git, touched.cwd, touched.words, () => look.time.left())
        : ['git was not asked what would be lost there'];
    case 'ends':
      return look.machine.processes(touched.ids, touched.names);
  }
}

function matchImpact(count: Count | undefined, cwd: string): readonly string[] {
  if (count?.more && count.files === 0)
    return [`no match in the first ${PREVIEW_TIMEOUT_MS / 1000} s, then the search stopped`];
  const text = count && countText(count, PREVIEW_TIMEOUT_MS);
  if (!count || text === undefined) return [];
  if (count.files === 0) return ['no file matches now'];
  const { names = [], files } = count;
  const listed = names.map((name) => shown(name, cwd)).join(', ');
  const left = files - names.length;
  const more = left > 0 && names.length > 0 ? ` and ${left} more` : '';
  return [`matches ${text}${listed === '' ? '' : `: ${listed}${more}`}`];
}

async function fileImpact(
  { paths: named, kind, some }: Extract<Touched, { readonly paths: unknown }>,
  { machine: { files }, git, cwd, time }: Look,
): Promise<readonly string[]> {
  const paths = await files.existing(named, () => time.isOver(1.5 * RESERVE_MS));
  if (paths.length === 0) {
    if (kind !== 'deletes') return [];
    const gone = named.slice(0, MAX_NAMES).map(({ path }) => shown(isAbsolute(path) ? path : join(cwd, path), cwd));
    // A missing name is the command's own text, and a long one could look like a line of the dialog.
    const plain = gone.filter((name) => PLAIN_NAME.test(name));
    return [`${plain.length === 0 ? 'these names' : plain.join(', ')}: not there`];
  }
  const names = paths.slice(0, MAX_NAMES).map((path) => shown(path, cwd));
  const found = await files.count(paths, () => time.isOver(RESERVE_MS));
  const counted = found ? countText(found, PREVIEW_TIMEOUT_MS) : 'could not be counted';
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : '';
  const tracked = git && (await trackedText(git, cwd, paths, () => time.left()));
  const line = `${some ? 'some of ' : ''}${names.join(', ')}${more}${counted === undefined ? '' : `: ${counted}`}`;
  return [line, ...(tracked === undefined ? [] : [tracked])];
}

// The time for a preview.

/** The most ms counted between two steps of a count; the rest was other work. */
const MAX_STEP_MS = 50;
/** The longest time that a HALT waits for the preview, in ms. */
const MAX_TIME_MS = 1000;

/** Measures only the preview’s own time, since much other work runs at a start or a resume. */
class LookTime {
  readonly #began = performance.now();
  #last = this.#began;
  readonly #most: number;
  #left: number;

  /** @param milliseconds the preview's own time */
  constructor(milliseconds: number) {
    this.#left = milliseconds;
    this.#most = Math.max(MAX_TIME_MS, milliseconds);
  }

  /** Returns the time left after waiting for another program, in ms. */
  left(): number {
    return this.#spend(Number.POSITIVE_INFINITY);
  }

  /** Returns whether a walk must end; called between its steps. `reserve`: ms to keep for later work. */
  isOver(reserve: number): boolean {
    return this.#spend(MAX_STEP_MS) <= reserve;
  }

  #spend(most: number): number {
    const now = performance.now();
    this.#left -= Math.min(now - this.#last, most);
    this.#last = now;
    return now - this.#began > this.#most ? 0 : this.#left;
  }
}

/** Access to this machine’s files and processes. */
export const localSight: Sight = {
  get home() {
    return homedir();
  },
  files: { existing, count, matches: countMatches, identities },
  processes: processImpact,
};

/** Returns the name of a process, from /proc; undefined where it can't be read. */
async function nameOf(pid: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const line = text.replaceAll('\0', ' ').trim();
  const short = line === '' ? (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() : line;
  return short.slice(0, 80).replace(/[\u0000-\u001f\u007f-\u009f]/g, '�');
}

/** Returns lines that name the processes a kill would end. */
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
