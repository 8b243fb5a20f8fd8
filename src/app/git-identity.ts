/**
 * Who commits, for commands in Project mode: its private `/tmp` hides the user's git configuration where that lies
 * below `/tmp`, as in containers and in tests.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

type Environment = Readonly<Record<string, string>>;

const PLACES = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL'];
const TIMEOUT_MS = 2000;

/** Variables that git takes name and address from, as they hold in `cwd`; none where git finds them by itself. */
export async function gitIdentity(env: Environment, cwd: string): Promise<Environment> {
  if (!PLACES.some((place) => env[place]?.startsWith('/tmp/'))) return {};
  const asked = ['config', '--get-regexp', '^user\\.(name|email)$'];
  const { stdout } = await promisify(execFile)('git', asked, { cwd, env, timeout: TIMEOUT_MS }).catch(() => ({
    stdout: '',
  }));
  const found: Record<string, string> = {};
  for (const line of stdout.split('\n')) {
    const [, what, value] = /^user\.(name|email) (.+)$/.exec(line) ?? [];
    if (what === undefined || value === undefined) continue;
    for (const who of ['AUTHOR', 'COMMITTER']) {
      const variable = `GIT_${who}_${what.toUpperCase()}`;
      if (env[variable] === undefined) found[variable] = value;
    }
  }
  return found;
}
