import { execFile } from 'node:child_process';

/** Puts a program behind the kernel sandbox: whatever a repository makes git do can then change nothing. */
export type Wrap = (argv: readonly string[]) => readonly string[];

/** Runs git for reading only, within `ms` milliseconds; undefined on any failure, and where it might run a program. */
export type GitReader = (cwd: string, args: readonly string[], ms: number) => Promise<string | undefined>;

/** Optional locks are off, and every program that git would start for reading: hooks, monitors, pagers, signatures, submodules. */
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

/** Keys of a repository's own configuration with which reading runs programs, or takes more configuration in. */
const RUNS =
  /^(filter\.|include\.|includeif\.|diff\..*\.(command|textconv)$|core\.(fsmonitor|sshcommand|alternaterefscommand|gitproxy)$|hook\.|extensions\.partialclone$|remote\..*\.(promisor|uploadpack|vcs)$)/i;

/** @param wrap where there is a sandbox; without one git is not asked about a repository that configures programs */
export function gitReader(wrap?: Wrap): GitReader {
  const configured = new Map<string, Promise<readonly string[] | undefined>>();
  return async (cwd, args, ms) => {
    const names = configured.get(cwd) ?? programKeys(cwd, wrap, ms);
    configured.set(cwd, names);
    const keys = await names;
    if (keys === undefined || (keys.length > 0 && !wrap)) return undefined;
    // With the sandbox around it what can't be switched off can still do nothing.
    const off = keys.flatMap((key) => (/^filter\..*\.(clean|smudge|process)$/i.test(key) ? ['-c', `${key}=`] : []));
    return run(cwd, [...off, ...args], wrap, ms);
  };
}

/** Listing configuration runs nothing. */
async function programKeys(cwd: string, wrap: Wrap | undefined, ms: number): Promise<readonly string[] | undefined> {
  const listed = await run(cwd, ['config', '--list', '--name-only', '-z'], wrap, ms);
  // Our own settings are listed too; only the monitor is among the keys that count.
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
    execFile(program, rest, options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}
