/** Runs one program in a pseudo-terminal, as the executor does. */
import { spawn } from 'node-pty';

export type InPty = {
  readonly pid: number;
  readonly ptsName: string;
  text(): string;
  write(keys: string): void;
  kill(signal: string): void;
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number }>;
};

export function inPty(
  argv: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): InPty {
  const [program = '', ...rest] = argv;
  const pty = spawn(program, rest, {
    name: 'xterm-256color',
    cols: 200,
    rows: 50,
    cwd: options.cwd ?? '/',
    env: options.env ?? { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    encoding: null,
  });
  let text = '';
  pty.onData((data) => {
    text += data.toString('utf8');
  });
  const ended = new Promise<{ exitCode: number; signal?: number }>((resolve) => {
    pty.onExit((end) => {
      // The exit event can come before the last output.
      setImmediate(() => {
        pty.destroy();
        resolve(end);
      });
    });
  });
  return {
    pid: pty.pid,
    ptsName: pty.ptsName,
    text: () => text,
    write: (keys) => pty.write(keys),
    kill: (signal) => process.kill(pty.pid, signal),
    ended,
  };
}
