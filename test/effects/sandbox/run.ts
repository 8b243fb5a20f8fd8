/** Runs one program to its end with real pipes. */
import { spawn } from 'node:child_process';

export type Ran = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
};

export function run(
  argv: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly input?: string;
  } = {},
): Promise<Ran> {
  const [program = '', ...rest] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { cwd: options.cwd, env: { ...(options.env ?? process.env) } });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

/** Waits until `condition` is true; a timeout names `what` was awaited. */
export async function until(what: string, condition: () => boolean, milliseconds = 20_000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
