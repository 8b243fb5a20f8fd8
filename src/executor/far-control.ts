/** How a command of a shell on a host is stopped and watched: what is here of it is only ssh. */
import type { ShellThere } from '../contracts/hosts.ts';
import type { DrivenShell } from './driven-shell.ts';
import { Stopper } from './stopper.ts';
import type { TerminalModes } from './terminal-state.ts';

/** What ssh ends with when its connection does. */
const LOST = 255;

type FarControl = { stopper(): Stopper; modes(): Promise<TerminalModes> };

/** Undefined for a shell that runs here. */
export function farControl(
  there: ShellThere | undefined,
  shell: () => DrivenShell | undefined,
): FarControl | undefined {
  if (!there) return undefined;
  const signal = (name: 'TERM' | 'KILL') => () => {
    const files = shell()?.seat?.files;
    if (files) there.signal(files, name);
  };
  const atLast = () => {
    signal('KILL')();
    // A connection that hangs takes no signal there.
    void there.isLost(LOST).then((lost) => lost && shell()?.pty.dispose());
  };
  return {
    // Ctrl-C goes there as a key; what it takes beside that, the host does.
    stopper: () => new Stopper([() => shell()?.write('\x03'), signal('TERM'), atLast]),
    modes: async () => {
      const files = shell()?.seat?.files;
      return files ? there.modes(files) : { echo: true, lines: true };
    },
  };
}
