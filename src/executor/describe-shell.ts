/** What is said of the user's shell before it runs (`doctor`). */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The oldest versions that are driven through their own line editor. */
const OLDEST: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  bash: [4, 4],
  zsh: [5, 8],
  fish: [3, 6],
};

export type ShellFacts = { readonly good: boolean; readonly text: string };

/** Runs the shell's program for its version. @param home for the startup file, where ble.sh is looked for */
export function describeShell(shell: string | undefined, home: string | undefined): ShellFacts {
  if (shell === undefined || shell === '') return { good: false, text: 'SHELL is not set; bash is used' };
  const name = basename(shell);
  const oldest = OLDEST[name];
  if (!existsSync(shell)) return { good: false, text: `${shell} is not there; bash is used` };
  if (!oldest) return { good: false, text: `${shell} can't be driven; bash is used` };
  const { stdout } = spawnSync(shell, ['--version'], { encoding: 'utf8', timeout: 2000 });
  const [version = '', major = '0', minor = '0'] = /(\d+)\.(\d+)(?:\.\d+)?/.exec(stdout ?? '') ?? [];
  const known = `${shell} ${version}`;
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
  if (isOld && name === 'bash')
    return { good: true, text: `${known}: lines go to it through a pipe (older than ${oldest.join('.')})` };
  if (isOld) return { good: false, text: `${known} is older than ${oldest.join('.')}, which is needed` };
  if (name === 'bash' && usesBle(home))
    return { good: true, text: `${known} with ble.sh: lines go to it through a pipe` };
  return { good: true, text: `${known}: lines go to its own line editor` };
}

function usesBle(home: string | undefined): boolean {
  try {
    return home !== undefined && /\bble(?:\.sh|-attach)\b/.test(readFileSync(join(home, '.bashrc'), 'utf8'));
  } catch {
    return false;
  }
}
