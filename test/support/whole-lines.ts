import { existsSync, readFileSync } from 'node:fs';

/**
 * The lines of a file that others add to, without one that is still being written: what is opened to be added to is there
 * empty for a moment. None where there is no file yet.
 */
export function wholeLines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}
