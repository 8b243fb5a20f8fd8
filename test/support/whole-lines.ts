import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the lines of a file to which others append, without an incomplete last line. A file opened for appending is
 * empty for a moment. None if there is no file yet.
 */
export function wholeLines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}
