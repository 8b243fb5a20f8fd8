import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/**
 * Whether the terminal at `slave` (`/dev/pts/N`) asks for something secret: echo off while lines are still edited by
 * the kernel, as getpass(3), sudo, ssh and `read -s` do. Programs that read single keys (editors, REPLs) turn off both
 * and don't count. Node can't read termios, so `stty` is asked (some 2 ms, beside the event loop): the caller does so
 * only when a command has fallen silent with an unfinished line, never per key.
 */
export function readsSecret(slave: string): Promise<boolean> {
  let terminal: number;
  try {
    terminal = openSync(slave, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return Promise.resolve(false);
  }
  return new Promise((resolve) => {
    let modes = '';
    const stty = spawn('stty', ['-a'], {
      stdio: [terminal, 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    });
    closeSync(terminal);
    stty.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
      modes += chunk;
    });
    stty.once('error', () => resolve(false));
    stty.once('close', () => resolve(/(?:^|\s)-echo(?:\s|;|$)/.test(modes) && /(?:^|\s)icanon(?:\s|;|$)/.test(modes)));
  });
}
