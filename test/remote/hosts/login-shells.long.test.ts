/**
 * With any login shell of a host, a command on the host gives the same output and exit code as on this machine, for odd
 * bytes too. `npm run check -- hosts` takes 500 made-up commands for each shell.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../../support/accounts.ts';
import { hostsOf } from '../../support/hosts.ts';
import { pathOf } from '../../support/lacks.ts';
import { lacksSshd, startSshd } from '../../support/sshd.ts';

const COMMANDS = Number(process.env.AISH_HOST_COMMANDS ?? 12);
/** Commands run at the same time on one host, which allows ten sessions, one of them the helper's. */
const AT_ONCE = 6;
const SHELLS = ['bash', 'zsh', 'fish', 'dash', 'tcsh'].flatMap((name) => {
  const path = pathOf(name);
  return path === undefined ? [] : [[name, path] as const];
});

/** Words that shells treat specially, and any bytes but NUL, which no command contains. */
const word = fc.oneof(
  fc.constantFrom(
    '$HOME',
    '$x',
    '`',
    '"',
    "'",
    '\\',
    '!',
    '!!',
    '!-1',
    '\\!',
    '\n',
    '\t',
    '\v\f\r\b',
    '  ',
    ';',
    '&',
    '|',
    '#',
  ),
  fc.constantFrom(
    '*',
    '?',
    '[a-z]',
    '~',
    '{1,2}',
    '$(echo a)',
    '`echo b`',
    '$$',
    '$((1+1))',
    '-n',
    '--',
    '\x1b[31m',
    '\x7f',
    'ü',
    '日本',
    '💥',
  ),
  fc.constantFrom(
    '%s',
    '%%',
    '\\n',
    '\\\\',
    '^',
    '^a^b',
    '=ls',
    '@',
    ':q',
    '<',
    '>',
    '(',
    ')',
    'end',
    'set x = 1',
    'and',
    'or',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll(/[\0\ud800-\udfff]/g, '?')),
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
const quoted = text.map((each) => `'${each.replaceAll("'", "'\\''")}'`);
/** A text as data, a text as code (perhaps invalid), and constructs of bash only. */
const command = fc.oneof(
  { weight: 3, arbitrary: quoted.map((each) => `printf %s ${each}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(quoted, quoted).map(([a, b]) => `x=${a}; y=(${b} z); printf '%s|' "$x" "\${y[@]}" "\${#x}"`),
  },
  { weight: 1, arbitrary: fc.tuple(quoted, fc.nat(120)).map(([a, code]) => `cat <<< ${a}; exit ${code}`) },
  { weight: 1, arbitrary: text.map((each) => `cat <<'AISH'\n${each.replaceAll('AISH', '')}\nAISH`) },
  // Words without code, after \`true\`, so that they would run nothing in the empty directory.
  { weight: 1, arbitrary: text.filter((each) => !/[;&|`$<>(\n\r]/.test(each)).map((each) => `true ${each}`) },
);

describe.skipIf(lacksSshd() || process.getuid?.() !== 0)(
  'a command on a host runs as it is written, whatever the login shell',
  () => {
    let work: string;
    beforeAll(() => {
      work = mkdtempSync(join(tmpdir(), 'words-'));
      chmodSync(work, 0o777);
      mkdirSync(join(work, 'empty'));
    });

    it.each(SHELLS)(
      'with %s',
      async (name, shell) => {
        const user = addUser(shell);
        const server = await startSshd('web1', { user });
        const at = hostsOf(server);
        try {
          await at.open();
          const made = fc.sample(command, COMMANDS);
          const left = made.entries();
          const one = async () => {
            for (const [n, wanted] of left) {
              const file = join(work, `${name}-${n}`);
              const there = await at.run(`{ ${wanted}\n} >${file} 2>/dev/null`, `web1:${work}/empty`);
              const here = spawnSync('bash', ['--noprofile', '--norc', '-c', `{ ${wanted}\n} 2>/dev/null`], {
                cwd: join(work, 'empty'),
                env: { PATH: process.env.PATH, HOME: `/home/${user}` },
              });
              expect({ wanted, exit: there.exit, bytes: existsSync(file) ? readFileSync(file, 'hex') : '' }).toEqual({
                wanted,
                exit: here.status,
                bytes: here.stdout.toString('hex'),
              });
            }
          };
          await Promise.all(Array.from({ length: AT_ONCE }, one));
        } finally {
          await at.hosts.close();
          await server.stop();
          removeUser(user);
        }
      },
      30_000 + COMMANDS * 2_000,
    );
  },
);
