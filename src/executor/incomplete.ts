import { spawnSync } from 'node:child_process';

/** How bash says that it would read on: an open quote, an unfinished pipe or loop, a here-document without its end. */
const READS_ON = /unexpected EOF|unexpected end of file|delimited by end-of-file/;
const OPEN_END = /(?:^|[^\\])(?:\\\\)*\\$/;

/**
 * Whether a shell would ask for more before it could run this. Asks `bash -n`, which reads and runs nothing; some 3 ms.
 * False where there is no answer.
 */
export function isIncomplete(line: string): boolean {
  if (OPEN_END.test(line)) return true;
  const { stderr } = spawnSync('bash', ['--norc', '-n'], {
    input: `${line}\n`,
    encoding: 'utf8',
    timeout: 1000,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
  });
  return READS_ON.test(stderr ?? '');
}
