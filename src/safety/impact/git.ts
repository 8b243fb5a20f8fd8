import { execFile } from 'node:child_process';

/** Wraps a program in the kernel sandbox, so that programs which a repository makes git run can’t change anything. */
export type Wrap = (argv: readonly string[]) => readonly string[];

/** Runs git for reading only, within `ms` milliseconds; undefined on failure, or where git might run a program. */
export type GitReader = (cwd: string, args: readonly string[], ms: number) => Promise<string | undefined>;

/** Switches off optional locks, and every program that git would start for reading. */
const QUIET = [
  '--no-optional-locks',
  '--literal-pathspecs',
  ...Object.entries({
    'core.fsmonitor': 'false',
    'core.hooksPath': '/dev/null',
    'core.pager': 'cat',
    'core.attributesFile': '/dev/null',
    'core.sshCommand': 'false',
    'diff.external': '',
    'diff.ignoreSubmodules': 'all',
    'status.submoduleSummary': 'false',
    'submodule.recurse': 'false',
    'log.showSignature': 'false',
    'gpg.program': 'false',
    'protocol.allow': 'never',
  }).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
];

/** Settings in a repository that make reading run programs, or that include more configuration. */
const RUNS =
  /^(filter\.|include\.|includeif\.|diff\..*\.(command|textconv)$|core\.(fsmonitor|sshcommand|alternaterefscommand|gitproxy)$|hook\.|extensions\.partialclone$|remote\..*\.(promisor|uploadpack|vcs)$)/i;

/** @param wrap applies the sandbox; without one git is not asked about a repository that configures programs */
export function gitReader(wrap?: Wrap): GitReader {
  const configured = new Map<string, Promise<readonly string[] | undefined>>();
  return async (cwd, args, ms) => {
    // Listing settings runs none of them.
    if (args[0] === 'config') return run(cwd, args, wrap, ms);
    const names = configured.get(cwd) ?? programKeys(cwd, wrap, ms);
    configured.set(cwd, names);
    const keys = await names;
    if (keys === undefined || (keys.length > 0 && !wrap)) return undefined;
    // Programs that can’t be switched off are confined by the sandbox.
    const off = keys.flatMap((key) => (/^filter\..*\.(clean|smudge|process)$/i.test(key) ? ['-c', `${key}=`] : []));
    return run(cwd, [...off, ...args], wrap, ms);
  };
}

/** Returns the settings that run programs. Listing settings runs none. */
async function programKeys(cwd: string, wrap: Wrap | undefined, ms: number): Promise<readonly string[] | undefined> {
  const listed = await run(cwd, ['config', '--list', '--name-only', '-z'], wrap, ms);
  // Our own settings are listed too, but only `core.fsmonitor` is among the keys that matter.
  const own = new Set(['core.fsmonitor', 'core.sshcommand']);
  const names = listed?.split('\0').filter((name) => RUNS.test(name));
  const seen = new Map<string, number>();
  for (const name of names ?? []) seen.set(name.toLowerCase(), (seen.get(name.toLowerCase()) ?? 0) + 1);
  return names?.filter((name) => !own.has(name.toLowerCase()) || (seen.get(name.toLowerCase()) ?? 0) > 1);
}

function run(cwd: string, args: readonly string[], wrap: Wrap | undefined, ms: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const argv = ['git', ...QUIET, ...args];
    const [program = 'git', ...rest] = wrap ? wrap(argv) : argv;
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_CONFIG_NOSYSTEM: '1',
      LC_ALL: 'C',
    };
    const options = { cwd, timeout: Math.max(1, Math.floor(ms)), maxBuffer: 2_000_000, env };
    // At the timeout node closes the output; a program that had just ended counts as a success with none of it.
    const child = execFile(program, rest, options, (error, stdout) =>
      resolve(error || child.stdout?.readableEnded !== true ? undefined : stdout),
    );
  });
}

// Asks git about files, and about the losses of a git command.

const MAX_PATHS = 50;

/** Returns how many of these files are tracked, changed and untracked, and what git can't restore. */
export async function trackedText(
  git: GitReader,
  cwd: string,
  paths: readonly string[],
  left: () => number,
): Promise<string | undefined> {
  if (paths.length === 0 || paths.length > MAX_PATHS) return undefined;
  const list = async (...args: readonly string[]) => records(await git(cwd, [...args, '-z', '--', ...paths], left()));
  const [tracked, others, status] = await Promise.all([
    list('ls-files'),
    list('ls-files', '--others'),
    list('status', '--porcelain', '--untracked-files=no', '--no-renames'),
  ]);
  if (!tracked || !others || !status) return undefined;
  const [known, changed, foreign] = [tracked.length, status.length, others.length];
  if (known === 0) return foreign === 0 ? undefined : 'git does not track it and cannot restore it';
  if (changed + foreign === 0)
    return known === 1 ? 'git tracks it and can restore it' : `git tracks all ${known} and can restore them`;
  const parts = [
    `git tracks ${known}`,
    ...(changed > 0 ? [`${changed} changed since the last commit`] : []),
    ...(foreign > 0 ? [`${foreign} not tracked`] : []),
  ];
  const lost = [...(changed > 0 ? ['the changes'] : []), ...(foreign > 0 ? ['the untracked files'] : [])].join(' and ');
  return `${parts.join(', ')}: git can't restore ${lost}`;
}

/** Returns what a git command would destroy, in lines. */
export async function gitImpact(
  git: GitReader,
  cwd: string,
  words: readonly string[],
  left: () => number,
): Promise<string[]> {
  const [sub = '', ...rest] = words;
  const has = (...flags: string[]) => flags.some((flag) => rest.includes(flag));
  const operands = rest.filter((word) => !word.startsWith('-'));
  const lines: string[] = [];
  if (losesChanges(sub, has)) {
    const stat = await git(cwd, ['diff', '--no-ext-diff', '--no-textconv', 'HEAD', '--shortstat'], left());
    if (stat?.trim()) lines.push(`uncommitted changes lost: ${stat.trim()}`);
  }
  return [...lines, ...((await LOSSES.get(sub)?.(git, cwd, { has, operands }, left)) ?? [])];
}

/** Returns whether one of these options is given. */
type Has = (...flags: string[]) => boolean;
type Loss = (
  git: GitReader,
  cwd: string,
  words: { readonly has: Has; readonly operands: readonly string[] },
  left: () => number,
) => Promise<readonly string[]>;

function losesChanges(sub: string, has: Has): boolean {
  if (sub === 'reset') return has('--hard', '--merge');
  return sub === 'checkout' || sub === 'restore' || (sub === 'switch' && has('-f', '--discard-changes'));
}

/** The losses of each subcommand besides changes in the working tree. */
const LOSSES: ReadonlyMap<string, Loss> = new Map<string, Loss>([
  [
    'reset',
    async (git, cwd, { has, operands }, left) =>
      has('--hard') ? commits(git, cwd, `${operands[0] ?? 'HEAD'}..HEAD`, 'no longer on this branch', left) : [],
  ],
  ['clean', (git, cwd, { has }, left) => cleaned(git, cwd, has('-x'), has('-X'), left)],
  [
    'branch',
    async (git, cwd, { has, operands }, left) => {
      const lines: string[] = [];
      for (const branch of has('-D', '-d') ? operands.slice(0, 3) : [])
        lines.push(...(await commits(git, cwd, `HEAD..${branch}`, `only on ${branch}`, left)));
      return lines;
    },
  ],
  ['push', (git, cwd, { operands }, left) => pushed(git, cwd, operands, left)],
  [
    'stash',
    async (git, cwd, { has }, left) => {
      const entries = has('drop', 'clear') ? textLines(await git(cwd, ['stash', 'list'], left())) : [];
      return entries.length > 0 ? [`stashes: ${entries.length}; newest ${entries[0] ?? ''}`] : [];
    },
  ],
]);

async function cleaned(git: GitReader, cwd: string, all: boolean, ignored: boolean, left: () => number) {
  const flags = [...(all ? ['-x'] : []), ...(ignored ? ['-X'] : [])];
  const files = textLines(await git(cwd, ['clean', '-n', '-d', ...flags], left()));
  if (files.length === 0) return [];
  const names = files.slice(0, 5).map((line) => line.replace(/^Would remove /, ''));
  return [`untracked: ${names.join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`];
}

/** Returns the commits of the remote branch, as last fetched, that the pushed branch lacks. */
async function pushed(git: GitReader, cwd: string, [named, ...specs]: readonly string[], left: () => number) {
  const upstream = (
    await git(cwd, ['rev-parse', '--abbrev-ref', '--symbolic-full-name', '@{upstream}'], left())
  )?.trim();
  const head = (await git(cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'], left()))?.trim();
  const remote = named ?? upstream?.split('/')[0];
  if (remote === undefined || !/^[\w.-]+$/.test(remote)) return [];
  const refs = specs.length > 0 ? specs : head ? [head] : [];
  const lines: string[] = [];
  for (const spec of refs.slice(0, 3)) {
    const [source = '', target = source] = spec.replace(/^\+/, '').split(':');
    const branch = (target === 'HEAD' ? (head ?? '') : target).replace(/^refs\/heads\//, '');
    if (branch === '') continue;
    const tracking = specs.length === 0 && named === undefined && upstream ? upstream : `${remote}/${branch}`;
    const range = `${source === '' ? 'HEAD' : source}..refs/remotes/${tracking}`;
    lines.push(...(await commits(git, cwd, range, `of ${tracking} would be lost, as last fetched`, left)));
  }
  return lines;
}

async function commits(
  git: GitReader,
  cwd: string,
  range: string,
  what: string,
  left: () => number,
): Promise<string[]> {
  const list = textLines(
    await git(cwd, ['log', '--no-decorate', '--oneline', '-n', '50', '--end-of-options', range, '--'], left()),
  );
  if (list.length === 0) return [];
  const number = list.length === 50 ? '50 or more commits' : `${list.length} commit${list.length === 1 ? '' : 's'}`;
  return [`${number} ${what}: ${list[0] ?? ''}${list.length > 1 ? ', …' : ''}`];
}

function textLines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}

function records(text: string | undefined): readonly string[] | undefined {
  return text?.split('\0').filter((line) => line !== '');
}
