/**
 * Decides which losses of a command `:undo` could restore, and which need no question in Project mode, where the kernel
 * confines a command to the project’s tree and undo keeps its changes there (MO-9). Writes beyond the tree are not
 * predicted: the kernel blocks them, and then the user is asked for a wider mode.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { isCredential } from '../knowledge/credential-files.ts';
import type { Finding } from '../session/action.ts';
import type { Own } from './files.ts';
import { countMatches, MEASURED } from './impact/files.ts';
import { survey, type Touched } from './impact/targets.ts';
import { type Loss, lossOf } from './rules/table.ts';
import type { StaticVerdict } from './verdict.ts';

/** Where a command would run; `tree`: the project to which the kernel confines it; absent in Unrestricted. */
export type Place = {
  readonly cwd: string;
  readonly tree?: string | undefined;
  /** Whether a command there has a private `/tmp` and can signal only its own processes. */
  readonly namespaces?: boolean | undefined;
};

export type Recovery = {
  /** Whether Project asks nothing: each loss is nobody's, or can be undone and is no deletion by name. */
  readonly recoverable: boolean;
  /** The findings of the verdict, those that `:undo` can’t restore first; each says whether it asks. */
  readonly findings: readonly Finding[];
};

/** Returns whether undo keeps no copy of a path, or of files below it. */
const isLeftOut = (path: string): boolean => isCredential(path) || isCredential(`${path}/any`);

const MAX_LOOKED_AT = 5000;
const FIND_MS = 500;

const NOTHING: Own = new Set<string>();

/** Returns which losses can be undone. Never rejects, runs nothing. `own`: the files that this session made. */
export async function recoveryOf(
  command: string,
  verdict: StaticVerdict,
  { cwd, tree, namespaces }: Place,
  own: Own = NOTHING,
): Promise<Recovery> {
  const { touched, calls, brought } = survey(command, cwd, homedir());
  const findings: Finding[] = [];
  for (const finding of verdict.findings) {
    const loss = lossOf(finding.rule);
    const mine = touched.filter(({ part }) => within(part, finding.part));
    const about = calls.filter(({ part }) => within(part, finding.part));
    const known = mine.length > 0 && about.every((call) => call.known);
    const kept = loss.kept === true && !about.some(({ away }) => away) && !mine.some(touchesLeftOut);
    // Where the kernel does not confine the command, an undo is promised only if all lost files are known.
    const undoable = kept && (tree !== undefined || known) ? true : kept ? undefined : false;
    const isNobodysLoss = async () =>
      known && (await isNobodys(loss.named, mine, { cwd, tree }, brought.size > 0 ? NOTHING : own));
    const bounded = tree !== undefined && isBlocked(loss, namespaces) && !about.some(({ away }) => away);
    const recoverable = bounded || (undoable === true && (!(loss.named ?? finding.named) || (await isNobodysLoss())));
    findings.push({ ...finding, ...(undoable === undefined ? {} : { undoable }), recoverable });
  }
  // Losses that can’t be undone come first.
  findings.sort((left, right) => Number(left.undoable === true) - Number(right.undoable === true));
  const recoverable = findings.every((finding) => finding.recoverable === true);
  return { recoverable: recoverable && (verdict.verdict !== 'destructive' || findings.length > 0), findings };
}

function isBlocked({ bounded }: Loss, namespaces = false): boolean {
  return bounded === 'writes' || (bounded === 'signals' && namespaces);
}

function within(part: Finding['part'], [from, to]: Finding['part']): boolean {
  return to <= from || (part[0] < to && part[1] > from);
}

/** Returns whether it changes a file of keys or passwords, of which undo keeps no copy. */
function touchesLeftOut(each: Touched): boolean {
  if (each.kind !== 'deletes' && each.kind !== 'overwrites') return false;
  return each.paths.some(({ path, cwd }) => isLeftOut(normalize(path.startsWith('/') ? path : join(cwd, path))));
}

/**
 * Returns whether this session made all files that a `find` deletes, or there is no repository that git could change.
 */
async function isNobodys(
  named: Loss['named'],
  mine: readonly Touched[],
  { cwd, tree }: Place,
  own: Own,
): Promise<boolean> {
  if (named === 'repository') return !hasRepository(cwd, tree ?? '/');
  for (const each of mine) {
    if (each.kind !== 'finds' || each.words.some((word) => MEASURED.test(word))) return false;
    const end = performance.now() + FIND_MS;
    const found: string[] = [];
    const isOver = () => performance.now() > end || found.length > MAX_LOOKED_AT;
    const count = await countMatches(each.words, each.cwd, isOver, (path) => found.push(path));
    if (!count || count.more || !found.every((path) => own.has(path) || own.hides?.(path))) return false;
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
