import { createHash } from 'node:crypto';
import type { Entry, Snapshot } from './tree.ts';

/**
 * Matches git’s internal files: its index and its notes on the last operation. Its other files hold the user’s data.
 */
const OF_GIT = /(^|\/)\.git\/(index|[A-Z]+_(HEAD|EDITMSG|MSG)|gc\.pid|packed-refs|info\/refs|objects\/info\/.*)$/;
const GIT_LOG = /(^|\/)\.git\/logs\//;
const GIT_REF = /^(.*\.git)\/((?:refs\/.+)|HEAD)$/;

/** The files that a line openly appends to (`>>`, `tee -a`), or whose mode it openly changes (`chmod`). */
type Named = { readonly appended: ReadonlySet<string>; readonly modes: ReadonlySet<string> };

/** Returns the losses of a line that the line does not mention, one sentence each. */
export function losses(before: Snapshot, after: Snapshot, named: Named): readonly string[] {
  return [...before].flatMap(([path, was]) => {
    if (OF_GIT.test(path) || isKeptByGit(path, was.content, after)) return [];
    const change = changeOf(path, was, after.get(path), named);
    return change === undefined ? [] : [`${change}: ${path}`];
  });
}

function changeOf(path: string, was: Entry, is: Entry | undefined, named: Named): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!is) return 'gone';
  if (is.kind !== was.kind) return 'replaced';
  if (is.content === was.content) return is.mode === was.mode || named.modes.has(name) ? undefined : 'mode';
  if (is.kind !== 'file' || !is.content.startsWith(was.content)) return 'overwritten';
  return GIT_LOG.test(path) || named.appended.has(name) ? undefined : 'appended to';
}

/**
 * Returns whether git still has a file’s content: a moved branch is in its log, and a loose object may now be in a
 * pack.
 */
function isKeptByGit(path: string, content: string, after: Snapshot): boolean {
  const match = GIT_REF.exec(path);
  if (!match)
    return /\.git\/objects\/.{2}(\/|$)/.test(path) && [...after.keys()].some((file) => file.endsWith('.pack'));
  const [, git, name] = match;
  if (name === 'HEAD') return after.has(path);
  const log = after.get(`${git}/logs/${name}`)?.content ?? '';
  return after.has(path) && log.includes(content.trim());
}

/**
 * Returns the losses of content: a file that still exists, under any name or in git, is not lost, and neither is an
 * empty folder.
 */
export function contentLost(before: Snapshot, after: Snapshot, named: Named): readonly string[] {
  const kept = new Set([...after.values()].map(({ kind, content }) => kind + content));
  return losses(before, after, named).filter((loss) => {
    const path = loss.slice(loss.indexOf(': ') + 2);
    const was = before.get(path);
    if (!was || loss.startsWith('appended')) return false;
    // Added rights for the user’s own files lose nothing.
    if (loss.startsWith('mode')) return (was.mode & ~(after.get(path)?.mode ?? 0)) !== 0;
    if (was.kind === 'folder' || was.content === '' || kept.has(was.kind + was.content)) return false;
    return !hasLines(after.get(path), was, /\.git\/config$/.test(path)) && !isObject(was.content, after);
  });
}

/** Returns whether a file still has all lines; git inserts settings between others. */
function hasLines(is: Entry | undefined, was: Entry, settings: boolean): boolean {
  const lines = settings && is ? new Set(is.content.split('\n')) : undefined;
  return lines !== undefined && was.content.split('\n').every((line) => lines.has(line));
}

function isObject(content: string, after: Snapshot): boolean {
  const bytes = Buffer.from(content, 'latin1');
  const name = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return [...after.keys()].some((path) => path.endsWith(`.git/objects/${name.slice(0, 2)}/${name.slice(2)}`));
}
