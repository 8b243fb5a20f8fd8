import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/** How a terminal takes keys. `lines`: the kernel edits whole lines (icanon). */
export type TerminalModes = { readonly echo: boolean; readonly lines: boolean };

const ORDINARY: TerminalModes = { echo: true, lines: true };

/**
 * The modes of the terminal at `slave` (`/dev/pts/N`). Echo off while lines are still edited by the kernel is how
 * getpass(3), sudo, ssh and `read -s` ask for something secret; programs that read single keys (editors, REPLs) turn off
 * both. Node can't read termios, so `stty` is asked (some 2 ms, beside the event loop): never per key. What can't be
 * found out counts as ordinary.
 */
export function terminalModes(slave: string): Promise<TerminalModes> {
  let terminal: number;
  try {
    terminal = openSync(slave, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return Promise.resolve(ORDINARY);
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
    const isOff = (mode: string) => new RegExp(`(?:^|\\s)-${mode}(?:\\s|;|$)`).test(modes);
    stty.once('error', () => resolve(ORDINARY));
    stty.once('close', () => resolve({ echo: !isOff('echo'), lines: !isOff('icanon') }));
  });
}
