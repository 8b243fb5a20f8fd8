import { execFile } from 'node:child_process';

/** Puts a program behind the kernel sandbox: a repository's own filters can then change nothing. */
export type Wrap = (argv: readonly string[]) => readonly string[];

/** Runs git for reading only, within `ms` milliseconds; undefined on any failure. */
export type GitReader = (cwd: string, args: readonly string[], ms: number) => Promise<string | undefined>;

/** Optional locks are off, hooks and programs of the repository's own configuration are not run. */
const QUIET = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.pager=cat',
];

/** @param wrap where there is a sandbox */
export function gitReader(wrap: Wrap = (argv) => argv): GitReader {
  return (cwd, args, ms) =>
    new Promise((resolve) => {
      const [program = 'git', ...rest] = wrap(['git', ...QUIET, ...args]);
      const env = {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        GIT_TERMINAL_PROMPT: '0',
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
      };
      const options = { cwd, timeout: Math.max(1, Math.floor(ms)), maxBuffer: 2_000_000, env };
      execFile(program, rest, options, (error, stdout) => resolve(error ? undefined : stdout));
    });
}

/** How git stands to these files: all tracked and unchanged means that git could bring them back. */
export async function trackedText(
  git: GitReader,
  cwd: string,
  paths: readonly string[],
  ms: number,
): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const args = paths.slice(0, 50);
  const [tracked, changed] = await Promise.all([
    git(cwd, ['ls-files', '-z', '--', ...args], ms),
    git(cwd, ['status', '--porcelain', '-z', '--ignored=no', '--', ...args], ms),
  ]);
  if (tracked === undefined || changed === undefined) return undefined;
  const known = tracked.split('\0').filter((line) => line !== '').length;
  const touched = changed.split('\0').filter((line) => line !== '').length;
  if (known === 0) return 'git does not track them: not recoverable from git';
  if (touched > 0) return `git tracks ${known}, ${touched} with changes that are not committed`;
  return `git tracks ${known} and could restore them`;
}

/** What a git command would lose, in lines. */
export async function gitImpact(git: GitReader, cwd: string, words: readonly string[], ms: number): Promise<string[]> {
  const [sub = ''] = words;
  const has = (...flags: string[]) => flags.some((flag) => words.includes(flag));
  const lines: string[] = [];
  if (
    (sub === 'reset' && has('--hard', '--merge')) ||
    sub === 'checkout' ||
    sub === 'restore' ||
    (sub === 'switch' && has('-f', '--discard-changes'))
  ) {
    const stat = await git(cwd, ['diff', '--no-ext-diff', '--no-textconv', 'HEAD', '--shortstat'], ms);
    if (stat?.trim()) lines.push(`uncommitted changes lost: ${stat.trim()}`);
  }
  if (sub === 'reset' && has('--hard')) {
    const target = words[1] !== undefined && !words[1].startsWith('-') ? words[1] : 'HEAD';
    await commits(git, cwd, `${target}..HEAD`, 'commits no longer on this branch', ms, lines);
  }
  if (sub === 'clean') {
    const list = await git(cwd, ['clean', '-n', '-d', ...(has('-x') ? ['-x'] : []), ...(has('-X') ? ['-X'] : [])], ms);
    const files = (list ?? '').split('\n').filter((line) => line !== '');
    if (files.length > 0)
      lines.push(
        `untracked: ${files
          .slice(0, 5)
          .map((line) => line.replace(/^Would remove /, ''))
          .join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`,
      );
  }
  if (sub === 'branch' && has('-D', '-d')) {
    for (const branch of words
      .slice(1)
      .filter((word) => !word.startsWith('-'))
      .slice(0, 3)) {
      await commits(git, cwd, `HEAD..${branch}`, `commits only on ${branch}`, ms, lines);
    }
  }
  if (sub === 'push') await commits(git, cwd, 'HEAD..@{upstream}', 'commits on the remote that would go', ms, lines);
  if (sub === 'stash' && has('drop', 'clear')) {
    const list = await git(cwd, ['stash', 'list'], ms);
    const entries = (list ?? '').split('\n').filter((line) => line !== '');
    if (entries.length > 0) lines.push(`stashes: ${entries.length}; newest ${entries[0] ?? ''}`);
  }
  return lines;
}

async function commits(
  git: GitReader,
  cwd: string,
  range: string,
  label: string,
  ms: number,
  lines: string[],
): Promise<void> {
  const log = await git(cwd, ['log', '--oneline', '-n', '50', '--end-of-options', range], ms);
  const list = (log ?? '').split('\n').filter((line) => line !== '');
  if (list.length > 0)
    lines.push(
      `${label}: ${list.length === 50 ? '50 or more' : list.length} (${list[0] ?? ''}${list.length > 1 ? ', …' : ''})`,
    );
}
