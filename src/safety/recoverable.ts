/**
 * Which of a command's losses `:undo` could bring back, and which need no question in Project mode, where the kernel
 * holds a command to the tree and the store keeps what it changes there (MO-9). What a command would need beyond the
 * tree is not guessed: the kernel refuses it, and then the user is asked for a wider mode.
 */
import { existsSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { isCredential } from '../knowledge/credential-files.ts';
import type { Finding } from '../session/action.ts';
import { countMatches, expanded } from './impact/files.ts';
import { survey, type Touched } from './impact/targets.ts';
import { isBoundedRule, isKeptRule, isNamedRule } from './rules/table.ts';
import type { StaticVerdict } from './verdict.ts';

/** Where a command would run; `tree`: the project that the kernel holds it to, absent in Unrestricted. */
export type Place = { readonly cwd: string; readonly tree?: string | undefined };

export type Recovery = {
  /** In Project it runs without a question: all it may lose is nobody's, or is kept and not deleted by name. */
  readonly recoverable: boolean;
  /** The findings of the verdict, each with whether `:undo` could bring it back and whether it asks. */
  readonly findings: readonly Finding[];
  /** Paths that the answer takes as not there: once they are, it no longer holds. */
  readonly absent: readonly string[];
};

/** Does the store keep no copy of it, or of anything in it? */
const isLeftOut = (path: string): boolean => isCredential(path) || isCredential(`${path}/any`);

const MAX_LOOKED_AT = 5000;
const FIND_MS = 100;

/** Whether this session made something, no directory, that nobody has touched since. */
export type MadeHere = (path: string) => Promise<boolean>;
const NOTHING_MADE: MadeHere = () => Promise.resolve(false);

/** Never rejects, runs nothing. `own`: files that this session's actions made, as far as they name them. */
export async function recoveryOf(
  command: string,
  verdict: StaticVerdict,
  { cwd, tree }: Place,
  own: ReadonlySet<string> = new Set(),
  madeHere: MadeHere = NOTHING_MADE,
): Promise<Recovery> {
  const isOwn = async (path: string) => own.has(path) || (await madeHere(path));
  const { touched, calls } = survey(command, cwd, homedir());
  const absent: string[] = [];
  const findings: Finding[] = [];
  for (const finding of verdict.findings) {
    const mine = touched.filter(({ part }) => within(part, finding.part));
    const about = calls.filter(({ part }) => within(part, finding.part));
    const known = mine.length > 0 && about.every((call) => call.known);
    const kept = isKeptRule(finding.rule) && !about.some(({ away }) => away) && !mine.some(touchesLeftOut);
    // Where the kernel bounds nothing, only a loss whose files are all known is promised back.
    const undoable = kept && (tree !== undefined || known) ? true : kept ? undefined : false;
    const isNobodysLoss = async () => known && (await isNobodys(finding, mine, { cwd, tree }, isOwn, absent));
    const blocked = tree !== undefined && isBoundedRule(finding.rule) && !about.some(({ away }) => away);
    const recoverable = blocked || (undoable === true && (!isNamedRule(finding.rule) || (await isNobodysLoss())));
    findings.push({ ...finding, ...(undoable === undefined ? {} : { undoable }), recoverable });
  }
  const recoverable = findings.every((finding) => finding.recoverable === true);
  return { recoverable: recoverable && (verdict.verdict !== 'destructive' || findings.length > 0), findings, absent };
}

function within(part: Finding['part'], [from, to]: Finding['part']): boolean {
  return to <= from || (part[0] < to && part[1] > from);
}

/** Does it change a file of keys or passwords, of which the store keeps no copy? */
function touchesLeftOut(each: Touched): boolean {
  if (each.kind !== 'deletes' && each.kind !== 'overwrites') return false;
  return each.paths.some(({ path, cwd }) => isLeftOut(normalize(path.startsWith('/') ? path : join(cwd, path))));
}

/** Whether what a named deletion takes is there at all, and if so was made in this session. */
async function isNobodys(
  { rule }: Finding,
  mine: readonly Touched[],
  { cwd, tree }: Place,
  isOwn: MadeHere,
  absent: string[],
): Promise<boolean> {
  if (rule.startsWith('git ')) return !hasRepository(cwd, tree ?? '/');
  for (const each of mine) {
    if (each.kind === 'finds') {
      const end = performance.now() + FIND_MS;
      const found: string[] = [];
      const count = await countMatches(
        each.words,
        each.cwd,
        () => performance.now() > end || found.length > MAX_LOOKED_AT,
        (path) => found.push(path),
      );
      if (!count || count.more) return false;
      for (const path of found) if (!(await isOwn(path))) return false;
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
  for (let directory = cwd; directory === tree || directory.startsWith(tree === '/' ? tree : `${tree}/`); ) {
    if (existsSync(join(directory, '.git'))) return true;
    if (directory === tree) return false;
    directory = dirname(directory);
  }
  return true;
}
