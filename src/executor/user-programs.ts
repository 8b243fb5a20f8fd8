/** Programs of the user's own that are started for them: the editor for a text, and a server that stays. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { messageOf } from '../text/errors.ts';
import type { Environment } from './environment.ts';
import { PrivateDirectory } from './private-directory.ts';
import { signal, withoutInherited } from './processes.ts';
import { Stopper } from './stopper.ts';

/** The most that is read back, in bytes: a prompt is not meant for more. */
const MAX_BYTES = 4 << 20;

export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

export type EditOptions = {
  /** The user's; `$VISUAL`, then `$EDITOR`, then vi. `TERM` must be that of the terminal that it runs in. */
  readonly env: Environment;
  readonly cwd: string;
  /** What the file is called: editors choose a language by it. */
  readonly name?: string;
};

/**
 * Lets the user edit a text in their editor, which gets this program's own terminal: the caller has given that away.
 * The text is in a private file (0600) meanwhile. An editor that ends with an error (`:cq`) changes nothing.
 */
export async function editText(text: string, { env, cwd, name = 'prompt.txt' }: EditOptions): Promise<Edited> {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  const directory = new PrivateDirectory('edit');
  const path = directory.file(name);
  try {
    writeFileSync(path, text === '' ? '' : `${text}\n`, { mode: 0o600 });
    // Nobody could bring back an editor that was suspended: a stop is ignored, and what it starts inherits that.
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
  /** Resolves when it has ended, with how it ended. */
  readonly ended: Promise<string>;
  /** SIGTERM to its process group, then SIGKILL. Idempotent. Resolves when it has gone. */
  stop(): Promise<string>;
};

/**
 * Starts a long-lived program of the user's own without a terminal, in a process group of its own.
 * @param command a line for sh
 * @param log file for its output, created anew, 0600; throws when it can't be created
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
