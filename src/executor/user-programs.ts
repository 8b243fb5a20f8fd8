/** Starts the user's own programs: the text editor, and long-running servers. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { messageOf } from '../text/errors.ts';
import type { Environment } from './environment.ts';
import { PrivateDirectory } from './private-directory.ts';
import { signal, withoutInherited } from './processes.ts';
import { Stopper } from './stopper.ts';

/** The maximum size of an edited text, in bytes. */
const MAX_BYTES = 4 << 20;

export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

export type EditOptions = {
  /** The user's environment; the editor is `$VISUAL`, then `$EDITOR`, then vi. `TERM` must match its terminal. */
  readonly env: Environment;
  readonly cwd: string;
  /** The file's name: editors choose a language by it. */
  readonly name?: string;
};

/**
 * Lets the user edit a text in their editor. The editor gets aish-tui's own terminal, which the caller has released.
 * While the editor runs the text is in a private file (0600). An editor that exits with an error (`:cq`) changes
 * nothing.
 */
export async function editText(text: string, { env, cwd, name = 'prompt.txt' }: EditOptions): Promise<Edited> {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  const directory = new PrivateDirectory('edit');
  const path = directory.file(name);
  try {
    writeFileSync(path, text === '' ? '' : `${text}\n`, { mode: 0o600 });
    // Ignore SIGTSTP, also in the editor: nobody could resume a suspended editor.
    const code = await run(['/bin/sh', '-c', `trap '' TSTP; ${editor} "$1"`, 'sh', path], env, cwd);
    if (code === 127) return { ok: false, problem: `${editor} was not found; set EDITOR in your shell` };
    if (code !== 0) return { ok: false, problem: `${editor} exited with ${code}: nothing was changed` };
    const edited = readFileSync(path);
    if (edited.length > MAX_BYTES) return { ok: false, problem: 'the text is too long: nothing was changed' };
    return { ok: true, text: edited.toString('utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    return { ok: false, problem: `${editor}: ${messageOf(error)}` };
  } finally {
    directory.remove();
  }
}

function run(argv: readonly string[], env: Environment, cwd: string): Promise<number> {
  const [file, ...rest] = withoutInherited(argv);
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { stdio: 'inherit', env, cwd });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
}

export type Daemon = {
  /** Resolves at its end, with how it ended. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM to its process group, then SIGKILL. Idempotent. Resolves at its end. */
  stop(): Promise<string>;
};

/**
 * Starts a long-running program of the user's without a terminal, in its own process group.
 * @param command a line for sh
 * @param log a new file for its output, 0600; throws if it can't be created
 */
export function startDaemon(command: string, log: string): Daemon {
  const out = openSync(log, 'w', 0o600);
  const [file, ...args] = withoutInherited(['/bin/sh', '-c', command]);
  const child = spawn(file, args, { cwd: homedir(), detached: true, stdio: ['ignore', out, out] });
  closeSync(out);
  const send = (name: NodeJS.Signals) => () => signal(-(child.pid ?? 0), name);
  const stopper = new Stopper([send('SIGTERM'), send('SIGKILL')]);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not start: ${error.message}`));
    child.on('exit', (code, name) => resolve(name === null ? `exit ${code}` : `ended by ${name}`));
  }).finally(() => stopper.done());
  return {
    ended,
    stop() {
      stopper.stop();
      return ended;
    },
  };
}
