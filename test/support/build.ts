/** The bundle that end-to-end tests run, rebuilt when a source is newer, as `setup.sh` does before `npm test`. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['src', 'components', 'hooks', 'build.mjs', 'release/notices.mjs', 'package.json'];

let current = false;

/** Builds if necessary, at most once per process; throws with the build's output on failure. */
export function ensureBuilt(): void {
  if (current) return;
  const built = statSync(join(ROOT, 'dist/aish-tui.mjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.some((source) => newest(join(ROOT, source)) > built)) {
    execFileSync(process.execPath, ['build.mjs'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  }
  current = true;
}

/**
 * Returns the latest change in a file or anywhere in a folder, in ms since 1970. Removing a file changes its folder.
 */
function newest(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
