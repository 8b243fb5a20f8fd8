import { execFileSync, type StdioOptions, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { restoreCommand } from '../../src/secrets/restore.ts';
import { cases } from '../support/cases.ts';
import { lacks } from '../support/lacks.ts';

const H = '⟦PASSWORD_0a1b2c⟧';
const folder = mkdtempSync(join(tmpdir(), 'aish-restore-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const canary = join(folder, 'canary');

function restoredIn(command: string, secret: string) {
  const restored = restoreCommand(command, () => secret);
  if (restored.kind !== 'restored') throw new Error('not restored');
  return restored;
}

/** Runs a command with a handle in a real bash, as the program would. */
function run(command: string, secret: string): { readonly out: string; readonly unsafe: string | undefined } {
  const restored = restoredIn(command, secret);
  const env = { PATH: process.env.PATH ?? '', ...restored.env };
  return { out: bash(restored.command, env), unsafe: restored.unsafe };
}

function bash(command: string, env: NodeJS.ProcessEnv = process.env): string {
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  return execFileSync('bash', ['--norc', '-c', command], { cwd: folder, env, stdio, encoding: 'utf8' });
}

type Restored = { readonly command: string; readonly env: Readonly<Record<string, string>> };

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns what each command prints, each in a subshell of one bash. */
function bashEach(commands: readonly Restored[]): readonly string[] {
  const parts = commands.map(({ command, env }) => {
    const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
    return `(\n${variables.join('')}${command}\n)\nprintf '\\0'\n`;
  });
  return bash(parts.join('')).split('\0').slice(0, -1);
}

/** Secrets that would do something if a shell ever parsed them. */
const hostile = [
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `'; touch ${canary}; '`,
  `"; touch ${canary}; "`,
  `a b  c\td`,
  `*?[a-z]{x,y}~`,
  `!! $HOME \${PATH} \\n \\`,
  `line one\nline two`,
  `x' "y" \`z\` $(w)`,
  `-n`,
  `#&|;<>()`,
  `é⟦ 漢 😀`,
];

/** Places where any secret is one word of the shell; each command prints it and nothing else. */
const places = [
  `printf %s ${H}`,
  `printf %s "${H}"`,
  `printf %s '${H}'`,
  `printf %s $'${H}'`,
  `X=${H}; printf %s "$X"`,
  `X="${H}" bash -c 'printf %s "$X"'`,
  `printf %s "$(printf %s. ${H})" | sed '$ s/[.]$//'`,
  `printf %s $(printf %s 1 >/dev/null)${H}`,
  `for x in ${H}; do printf %s "$x"; done`,
  `f() { printf %s "$1"; }; f ${H}`,
  `if [[ ${H} == ${H} ]]; then printf %s ${H}; fi`,
  `case ${H} in ${H}) printf %s ${H};; esac`,
  `( printf %s ${H} )`,
  `a=(${H}); printf %s "\${a[0]}"`,
  `printf %s ${H} > out; printf %s "$(cat out; printf .)" | sed '$ s/[.]$//'`,
  `true && printf %s ${H} || true # not ${H} here`,
];

describe('a secret in a command', () => {
  it.each(places)('reaches the program unchanged in %s', (command) => {
    const restored = hostile.map((secret) => restoredIn(command, secret));
    expect(bashEach(restored)).toEqual(hostile);
    expect(restored.filter(({ unsafe }) => unsafe !== undefined)).toEqual([]);
    expect(existsSync(canary)).toBe(false);
  });

  it('reaches the program unchanged in a here-document and a here-string', () => {
    const printed = (command: string, secrets = hostile) =>
      bashEach(secrets.map((secret) => restoredIn(command, secret)));
    expect(printed(`cat <<EOF\nis ${H}\nEOF`)).toEqual(hostile.map((secret) => `is ${secret}\n`));
    expect(printed(`cat <<< ${H}`)).toEqual(hostile.map((secret) => `${secret}\n`));
    const lines = hostile.filter((secret) => !secret.includes('\n'));
    expect(printed(`cat <<'EOF'\nis ${H}\nEOF`, lines)).toEqual(lines.map((secret) => `is ${secret}\n`));
    expect(existsSync(canary)).toBe(false);
  });

  it('reaches the program unchanged next to any text', () => {
    const nasty = fc.string({ unit: fc.constantFrom(...`a '"\`$(){}[]\\;&|<>!*?~#\n\t-=`), maxLength: 12 });
    fc.assert(
      fc.property(nasty, fc.constantFrom(...places), (secret, place) => {
        fc.pre(secret !== '');
        expect(run(place, secret).out).toBe(secret);
      }),
      { numRuns: cases(12) },
    );
  });
});

describe('a secret where it could run as code', () => {
  const unsafe = (command: string, secret: string) => {
    const restored = restoreCommand(command, () => secret);
    return restored.kind === 'restored' ? restored.unsafe : 'unknown';
  };

  it.each([
    `bash -c "echo ${H}"`,
    `sh -c 'echo ${H}'`,
    `eval echo ${H}`,
    `ssh host "echo ${H}"`,
    `echo ${H} | bash`,
    `bash <<< ${H}`,
    `python3 - <<EOF\nprint("${H}")\nEOF`,
    `python3 -c 'print("${H}")'`,
    `awk '{ print "${H}" }' f`,
    `echo $((${H} + 1))`,
    `[[ 1 -eq ${H} ]]`,
    `echo \${a[${H}]}`,
    `a[${H}]=1`,
    `echo "\${x:${H}}"`,
    `echo \`echo ${H}\``,
    `echo \${x:-${H}}`,
    `sudo env A=b sh -c 'echo ${H}'`,
    `find . -exec sh -c 'echo ${H}' ';'`,
    `psql -c "alter user x password '${H}'"`,
    `echo "select '${H}'" | psql`,
    `if true; then echo ${H}`,
    `cat <<'EOF'\n${H}\nEOF`,
  ])('makes the command ask: %s', (command) => {
    expect(unsafe(command, 'x$(id)\n;\'"')).toMatch(/a secret/);
  });

  it('does not make the command ask when every language treats it as plain text', () => {
    expect(unsafe(`bash -c "echo ${H}"`, 'ghp_0123abcDEF')).toBeUndefined();
    expect(run(`bash -c 'printf %s ${H}'`, 'ghp_0123abcDEF').out).toBe('ghp_0123abcDEF');
    expect(run(`echo \`printf %s ${H}\``, 'ab.c-d').out).toBe('ab.c-d\n');
  });

  it.skipIf(lacks('python3'))('does not make the command ask where Python treats it as text', () => {
    expect(run(`python3 -c 'print("${H}", end="")'`, 'ab.c-d')).toEqual({ out: 'ab.c-d', unsafe: undefined });
  });

  it('does not make the command ask in arguments that are data', () => {
    for (const command of [
      `curl -u me:${H} x`,
      `PGPASSWORD=${H} psql -c 'select 1'`,
      `mysql -p${H}`,
      `git push https://me:${H}@h/x`,
    ]) {
      expect(unsafe(command, 'x$(id)\'"')).toBeUndefined();
    }
  });
});

it('the gate judges the same command with the secret’s true value as one word', () => {
  const judged = (command: string, secret: string) => {
    const restored = restoreCommand(command, () => secret);
    return restored.kind === 'restored' ? restored.judged : '';
  };
  for (const place of places) {
    expect(bashEach(hostile.map((secret) => ({ command: judged(place, secret), env: {} })))).toEqual(hostile);
  }
  expect(judged(`rm -rf ${H}`, '/')).toBe(`rm -rf '/'`);
});

describe('the executed command equals the judged one', () => {
  it('after a backslash too, which would escape the quote that is inserted with the secret', () => {
    // Judged with single quotes this is one echo; run with double quotes it would be three commands.
    const sly = `echo \\${H}" ; touch ${canary} ; : ' # '" # "`;
    const plain = restoredIn(sly, 'ghp_0123abcDEF');
    expect(plain.command).toBe(plain.judged);
    bash(plain.command, { PATH: process.env.PATH ?? '', ...plain.env });
    expect(existsSync(canary)).toBe(false);
    for (const command of [sly, `echo "\\${H}"`, `echo $'\\${H}'`, `cat <<E\n\\${H}\nE`]) {
      expect(restoredIn(command, `a"b'c $d`).unsafe).toMatch(/a secret/);
    }
    expect(restoredIn(`echo \\\\${H}`, 'a b').unsafe).toBeUndefined();
  });

  it('and a command that reads the secret’s variable by name asks', () => {
    expect(restoredIn(`password="${H}"; $AISH_SECRET_1`, 'rm -rf /tmp/x1').unsafe).toMatch(/names the variable/);
    expect(restoredIn('$AISH_SECRET_1', 'x').unsafe).toBeUndefined();
  });

  it('whatever is written around the secret: bash prints the same for both', () => {
    const pieces = [
      ' ',
      '"',
      "'",
      "$'",
      '\\',
      '$(p ',
      ')',
      '`',
      '#',
      ' # ',
      '\n',
      ';',
      '|p ',
      '[[ ',
      ' ]]',
      '<<E\n',
      '\nE\n',
    ];
    const values = ['plainV1', 'a b', `a'b`, 'a"b', '$HOME', 'a\\'];
    const command = fc.array(fc.constantFrom('p ', 'a', H, H, ...pieces), { minLength: 3, maxLength: 10 });
    let compared = 0;
    fc.assert(
      fc.property(command, fc.constantFrom(...values), (words, secret) => {
        const { judged, command: runs, env, unsafe } = restoredIn(words.join(''), secret);
        if (unsafe !== undefined || judged === runs) return;
        compared += 1;
        expect(outcome(runs, env)).toEqual(outcome(judged, {}));
      }),
      { numRuns: cases(30) },
    );
    expect(compared).toBeGreaterThan(0);
  });

  const outcome = (command: string, env: Readonly<Record<string, string>>) => {
    const { stdout, status } = spawnSync('bash', ['--norc', '-c', `p() { printf '<%s>' "$@"; }\n${command}`], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', HOME: '/nowhere', ...env },
      encoding: 'utf8',
      input: '',
    });
    return { stdout, status };
  };
});

it('an unknown handle stops the command, except in a comment', () => {
  expect(restoreCommand(`echo ${H} ${H}`, () => undefined)).toEqual({ kind: 'unknown', handles: [H] });
  expect(restoreCommand(`ls # ${H}`, () => 'x')).toMatchObject({ command: `ls # ${H}`, env: {} });
});

it('a handle in a command’s own text is restored as it was written', () => {
  const written = (value: string) =>
    restoreCommand(
      `echo "me:${H}"`,
      () => value,
      () => true,
    );
  expect(written('a\\$b')).toEqual({
    kind: 'restored',
    command: 'echo "me:a\\$b"',
    judged: 'echo "me:a\\$b"',
    env: {},
  });
  expect(written('pre$SUFFIX')).toMatchObject({ command: 'echo "me:pre$SUFFIX"' });
  expect(written('a$(id)b')).toMatchObject({ unsafe: expect.stringMatching(/a secret/) });
  expect(written('plain9')).toMatchObject({ env: { AISH_SECRET_1: 'plain9' } });
});
