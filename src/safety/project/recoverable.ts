/**
 * What a command needs in Project mode, where the kernel holds it to the tree and the store keeps what it changes there:
 * no question, a wider mode, or the user's word (MO-9).
 */
import { existsSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Finding } from '../../session/action.ts';
import { expanded } from '../impact/files.ts';
import { countMatches } from '../impact/find.ts';
import { survey, type Touched } from '../impact/targets.ts';
import { type FileContent, readContent } from '../reading.ts';
import { isKeptRule, isNamedRule } from '../rules/table.ts';
import type { StaticVerdict } from '../verdict.ts';
import { isOutside, isWithin, outsideIn, type Place, type Step, walk } from './reach.ts';
import { changesFiles, needsMore } from './tables.ts';

export type Recovery = {
  /** It runs without a question: all it may lose is nobody's, or is kept and not deleted by name. */
  readonly recoverable: boolean;
  /** It can't do its work in Project: it needs the network, others' rights, or a place outside the tree. */
  readonly upgrade?: 'unrestricted';
  /** What it needs that for. */
  readonly needs?: string;
  /** The findings of the verdict, each with whether `:undo` could bring it back and whether it asks. */
  readonly findings: readonly Finding[];
  /** Paths that the answer takes as not there: once they are, it no longer holds. */
  readonly absent: readonly string[];
};

/** Ways of a text to a place outside that no path shows. */
const LEADS_OUT = /(^|[\s=:"'])~|\$\{?(HOME|XDG_\w+|OLDPWD|USER|LOGNAME)\b|(^|[\s"'=/])\.\.(\/|\s|$)/;
const MAX_LOOKED_AT = 5000;
/** Rounds of reading what the files read so far run, and files in all. */
const MAX_ROUNDS = 5;
const MAX_FILES = 60;
const FIND_MS = 100;

/** Whether this session made something, no directory, and nobody has touched it since: seen from what its actions left. */
export type MadeHere = (path: string) => Promise<boolean>;
const NOTHING_MADE: MadeHere = () => Promise.resolve(false);

/** Never rejects, runs nothing. `own`: files that this session's actions made, as far as they name them. */
export async function recoveryOf(
  command: string,
  verdict: StaticVerdict,
  place: Place,
  own: ReadonlySet<string> = new Set(),
  madeHere: MadeHere = NOTHING_MADE,
): Promise<Recovery> {
  const isOwn = async (path: string) => own.has(path) || (await madeHere(path));
  const steps = await stepsOf(command, place, own);
  if (!steps) return unwalked(command, verdict, place);
  const written = (verdict.basis?.writes ?? []).find((path) => isOutside(path, place.tree));
  const named = verdict.findings.some(({ rule }) => isNamedRule(rule))
    ? survey(command, place.cwd, homedir()).touched
    : [];
  // Nothing in the text leads out, so neither does a word of it that nobody knows.
  const bounded = !LEADS_OUT.test(command) && outsideIn([command], place.cwd, place.tree) === undefined;
  const absent: string[] = [];
  const findings: Finding[] = [];
  for (const finding of verdict.findings) {
    const undoable = isKept(finding, steps, bounded);
    const asks =
      undoable === true && isNamedRule(finding.rule) && !(await isNobodys(finding, named, place, isOwn, absent));
    const told = undoable === undefined ? finding : { ...finding, undoable };
    findings.push({ ...told, recoverable: undoable === true && !asks });
  }
  const needs = needsOf(steps, written, verdict);
  if (needs !== undefined) return { recoverable: false, upgrade: 'unrestricted', needs, findings, absent };
  const recoverable = findings.every((finding) => finding.recoverable === true);
  return { recoverable: recoverable && (verdict.verdict !== 'destructive' || findings.length > 0), findings, absent };
}

/** The steps of a command, with the files that it runs read. */
async function stepsOf(command: string, place: Place, own: ReadonlySet<string>): Promise<readonly Step[] | undefined> {
  const contents = new Map<string, FileContent>();
  for (let round = 0; ; round += 1) {
    const found = walk(command, place, { own, contents });
    const wanted = [...(found?.wanted ?? [])].slice(0, MAX_FILES - contents.size);
    if (!found || wanted.length === 0 || round === MAX_ROUNDS) return found?.steps;
    for (const path of wanted) contents.set(path, await readContent(path));
  }
}

/** What can't be taken apart: nothing is known of a loss, and anything else the kernel holds, but for what leads out. */
function unwalked(command: string, { verdict, findings }: StaticVerdict, { cwd, tree }: Place): Recovery {
  const leads = LEADS_OUT.test(command) || outsideIn([command], cwd, tree) !== undefined;
  const words = command.split(/[\s;&|()`]+/);
  const remote = words.find((word, at) => needsMore(word, words.slice(at + 1, at + 3)));
  if (remote !== undefined || leads) {
    const needs =
      remote === undefined ? 'it names a place outside the project' : `${remote} works beyond this project's files`;
    return { recoverable: false, upgrade: 'unrestricted', needs, findings, absent: [] };
  }
  const kept = findings.map((finding) => {
    const undoable = isKeptRule(finding.rule);
    return { ...finding, undoable, recoverable: undoable && !isNamedRule(finding.rule) };
  });
  const loses = verdict === 'destructive' && (kept.length === 0 || kept.some(({ recoverable }) => !recoverable));
  return { recoverable: !loses, findings: kept, absent: [] };
}

/** What it needs beyond the tree; a loss in a temporary directory counts, since nobody knows whose it is there. */
function needsOf(steps: readonly Step[], written: string | undefined, { verdict: all }: StaticVerdict) {
  const beyond = steps.find((step) => step.beyond);
  if (beyond) return `${beyond.program} works beyond this project's files`;
  const path = steps.find(({ outside }) => outside !== undefined)?.outside ?? written;
  if (path !== undefined) return `${path} lies outside the project`;
  if (all !== 'safe' && steps.some(({ linksOut }) => linksOut)) return 'it makes a link to a place outside the project';
  const loses = steps.some(({ verdict, temporary }) => verdict === 'destructive' && temporary);
  return loses ? 'it loses something in a temporary directory' : undefined;
}

/**
 * Whether all that a finding speaks of are changes of files in the tree, which the store keeps; undefined where nothing
 * is found to be lost there on a further look.
 */
function isKept({ rule, part: [from, to] }: Finding, steps: readonly Step[], bounded: boolean): boolean | undefined {
  if (!isKeptRule(rule)) return false;
  const all = steps.filter(({ verdict }) => verdict === 'destructive');
  const mine = to > from ? all.filter(({ part }) => part[0] < to && part[1] > from) : all;
  // What a find runs on its matches stays below its directories.
  const own = rule.startsWith('find ') ? mine.filter(({ program }) => program === 'find') : mine;
  if (own.length === 0) return undefined;
  return own.every(
    ({ program, beyond, outside, temporary, unknown, code, opaque, credential }) =>
      (program === '' || code || changesFiles(program)) &&
      !beyond &&
      !opaque &&
      !credential &&
      (!unknown || (bounded && !isNamedRule(rule))) &&
      !temporary &&
      outside === undefined,
  );
}

/** Whether what a named deletion takes is there at all, and if so was made in this session. */
async function isNobodys(
  { rule, part }: Finding,
  touched: readonly Touched[],
  { cwd, tree }: Place,
  isOwn: MadeHere,
  absent: string[],
): Promise<boolean> {
  if (rule.startsWith('git ')) return !hasRepository(cwd, tree);
  const mine = touched.filter((each) => each.part[0] >= part[0] && each.part[1] <= part[1]);
  if (mine.length === 0) return false;
  for (const each of mine) {
    if (each.kind === 'finds') {
      const end = performance.now() + FIND_MS;
      const count = await countMatches(each.words, each.cwd, () => performance.now() > end);
      if (!count || count.more || count.files > 0) return false;
    } else if (each.kind === 'deletes') {
      for (const name of each.paths) {
        const found = await expanded(name, MAX_LOOKED_AT);
        if (found.length === 0 && !name.glob) absent.push(join(name.path.startsWith('/') ? '/' : name.cwd, name.path));
        for (const path of found) if (!(await isAllOwn(path, isOwn))) return false;
      }
    } else return false;
  }
  return true;
}

/** Whether a file, or each file at and below a directory, was made in this session. */
async function isAllOwn(path: string, isOwn: MadeHere): Promise<boolean> {
  const queue = [path];
  for (let looked = 0; queue.length > 0; looked += 1) {
    const next = queue.pop();
    const stats = next === undefined ? undefined : await lstat(next).catch(() => undefined);
    if (next === undefined || !stats || looked > MAX_LOOKED_AT) return false;
    if (!stats.isDirectory() && (await isOwn(next))) continue;
    const directory = stats.isDirectory() ? await opendir(next).catch(() => undefined) : undefined;
    if (!directory) return false;
    for await (const { name } of directory) queue.push(join(next, name));
  }
  return true;
}

function hasRepository(cwd: string, tree: string): boolean {
  for (let directory = cwd; isWithin(directory, tree); directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return true;
    if (directory === tree) return false;
  }
  return true;
}
