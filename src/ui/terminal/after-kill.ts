/** Restores the terminal where the program could not: after SIGKILL, an abort, or running out of memory. */
import { spawn } from 'node:child_process';

const off = (...modes: readonly number[]) => modes.map((mode) => `\x1b[?${mode}l`).join('');

/**
 * Switches off whatever this program, or one inside it, may have switched on: synchronized output, mouse, focus
 * reports, bracketed paste, cursor and keypad keys, both keyboard protocols, scroll region, colours, and last the
 * alternate screen.
 */
const ALL_BACK = `${off(2026, 1000, 1002, 1003, 1005, 1006, 1015, 1004, 2004, 1)}\x1b>\x1b[<u\x1b[>4m\x1b[r\x1b[?7h\x1b(B\x0f\x1b[0 q\x1b[0m\x1b[?25h${off(1049)}`;

/**
 * A script that waits for the end of its input, which comes with the end of the program. If a shell is in front by
 * then, it has set the modes of its own line editor, with signals on; modes with signals off are the program’s
 * leftovers.
 */
const WATCH = `trap '' INT QUIT TTOU
read -r none
printf %s "$1"
sleep 0.2
exec 3<&1
case $(stty -a <&3) in *-isig*) stty icrnl ixon brkint echo icanon iexten isig <&3 ;; esac`;

/** Starts a shell that restores the terminal when this process is killed. It ends with the process. */
export function restoreAfterKill(): void {
  const watch = spawn('/bin/sh', ['-c', WATCH, 'sh', ALL_BACK], {
    stdio: ['pipe', 'inherit', 'ignore'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  });
  watch.once('error', () => {});
  watch.stdin.once('error', () => {});
  watch.unref();
  process.once('exit', () => watch.kill('SIGKILL'));
}
