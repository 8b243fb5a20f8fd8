import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../text/errors.ts';
import type { Environment } from './environment.ts';
import { PrivateDirectory } from './private-directory.ts';
import { withoutInherited } from './processes.ts';

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
