import { readFileSync } from 'node:fs';

/** Returns the rows of a file with one JSON value a line. */
export function rowsIn<T>(file: string | URL): readonly T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
