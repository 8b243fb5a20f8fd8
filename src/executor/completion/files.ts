/** Names of files that a word may become. */
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Entries inspected and offered at most; a directory may hold a million. */
const MAX_FILES = 500;

export type FoundFile = {
  /** The path as it was begun, its last part completed; a directory ends in a slash. */
  readonly path: string;
  readonly name: string;
  readonly directory: boolean;
  /** Someone may run it. */
  readonly executable: boolean;
};

export type FileQuery = {
  /** The path as begun, quotes resolved. */
  readonly path: string;
  readonly cwd: string;
  /** The expansion of the path's directory part, where the shell has expanded it (`$dir/`, `~name/`). */
  readonly directory?: string;
};

/** Files whose path begins so, sorted; hidden ones only when a dot was typed. What can't be read has none. */
export async function findFiles({ path, cwd, directory }: FileQuery): Promise<readonly FoundFile[]> {
  const cut = path.lastIndexOf('/') + 1;
  const shown = path.slice(0, cut);
  const start = path.slice(cut);
  const meant = directory ?? shown.replace(/^~(?=\/)/, homedir());
  const folder = isAbsolute(meant) ? meant : join(cwd, meant);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const wanted = entries
    .filter(({ name }) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    // Names that a line of the prompt can't hold.
    .filter(({ name }) => !/[\0-\x1f\x7f]/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_FILES);
  return Promise.all(
    wanted.map(async ({ name }) => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      const isDirectory = facts?.isDirectory() ?? false;
      return {
        path: shown + name + (isDirectory ? '/' : ''),
        name: name + (isDirectory ? '/' : ''),
        directory: isDirectory,
        executable: !isDirectory && ((facts?.mode ?? 0) & 0o111) !== 0,
      };
    }),
  );
}

/** Whether a path as a shell's completion gave it is a directory; `~/` is the home. */
export async function isDirectory(path: string, cwd: string): Promise<boolean> {
  const meant = path.replace(/^~(?=\/)/, homedir());
  const facts = await stat(isAbsolute(meant) ? meant : join(cwd, meant)).catch(() => undefined);
  return facts?.isDirectory() ?? false;
}
