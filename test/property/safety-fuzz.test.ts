import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'unbash';
import { expect, test } from 'vitest';
import { ShellInterpreter } from '../../src/safety/shell/interpreter.ts';
import { hasUnknown } from '../../src/safety/shell/taint.ts';
import { cases } from '../support/cases.ts';

/** `npm run check -- fuzz` runs 20,000. */
const CASES = cases(400);

const plain = fc.constantFrom(
  'rm',
  '-rf',
  'x',
  'a b',
  'foo',
  '1',
  '',
  'a*b',
  '$',
  '{',
  '}',
  ',',
  '~',
  '#',
  '=',
  ';',
  '&',
  '|',
  'ü',
  '[',
  '!',
);
const bare = fc.constantFrom('rm', '-rf', 'x', 'foo', '1', 'a-b', '/tmp', 'A=1', 'ü', '@', '%', '+');
const name = fc.constantFrom('v', 'w', 'e', 's', 'long');
const single = plain.map((text) => `'${text}'`);
const escaped = fc.constantFrom('\\r', '\\ ', '\\$v', "\\'", '\\"', '\\\\', '\\*', '\\{', '\\~', '\\;', '\\&');
const ansi = fc.constantFrom("$'a\\tb'", "$'\\x72\\x6d'", "$'\\''", "$'\\u0041'", "$'x\\ny'", "$'\\162'");
const braces = fc.constantFrom(
  '{a,b}',
  '{a,b}{c,d}',
  'p{1..3}q',
  '{x,}',
  '{,y}z',
  '{a}',
  '{a..c}',
  "{'q r',s}",
  '{rm,-rf}',
  '{01..03}',
  'a{b,{c,d}}e',
  '{}',
  '{$v,w}',
  '{3..1}',
);
const parameter = name.chain((n) =>
  fc.constantFrom(
    `$${n}`,
    `\${${n}}`,
    `\${${n}:-d e}`,
    `\${${n}:+y}`,
    `\${${n}:0:2}`,
    `\${${n}:1}`,
    `\${${n}#r}`,
    `\${${n}##*/}`,
    `\${${n}%m}`,
    `\${${n}%%/*}`,
    `\${${n}/m/n}`,
    `\${${n}//o/0}`,
    `\${${n}^^}`,
    `\${${n},,}`,
    `\${${n}^}`,
    `\${#${n}}`,
    ...['a[0]', 'a[1]', 'a[@]', 'a[*]', '#a[@]', 'a[@]:1', '!i'].map((body) => `\${${body}}`),
    '$1',
    '$2',
    '$#',
    '$@',
    '$*',
    '$((1+2*3))',
    '$((7/2))',
  ),
);
const output = fc.constantFrom(
  '$(echo rm)',
  '$(echo a b)',
  '`echo x`',
  '$(printf %s q)',
  '$(echo "$v")',
  '$(echo $(echo n))',
  '$(true)',
  '$(echo -e "a\\x62")',
  '$(echo eno | rev)'.replace(' | rev', ''),
);
const inner = fc.oneof(
  fc.constantFrom('a', ' ', 'rm', '*', '{a,b}', '~', "'", '\\"', '\\$', '\\\\', '\\x', ';'),
  parameter,
  output,
);
const double = fc.array(inner, { maxLength: 3 }).map((parts) => `"${parts.join('')}"`);
const piece = fc.oneof({ weight: 3, arbitrary: bare }, single, escaped, ansi, braces, parameter, output, double);
const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `argv ${words.join(' ')}`);

const SETUP = `v=rm w='a b' e= s='/usr/bin/rm' long='one  two' i=v; a=(p 'q r' s); set -- uno 'dos tres'`;

/** Returns each line as real bash parses it. Only the builtin printf runs, in an empty directory. */
function byBash(lines: readonly string[], cwd: string): readonly (readonly string[] | undefined)[] {
  const script = [
    'argv() { if [ $# -gt 0 ]; then printf "%s\\1" "$@"; fi; }',
    SETUP,
    ...lines.map((text) => `( eval ${quoted(text)}; printf '\\2%s' $? ) 2>/dev/null; printf '\\3'`),
  ].join('\n');
  const out = execFileSync('/bin/bash', ['--norc', '--noprofile'], {
    input: script,
    cwd,
    env: { PATH: '/nowhere', HOME: '/home/user', LC_ALL: 'C.UTF-8' },
    maxBuffer: 100_000_000,
  }).toString('utf8');
  return out
    .split('\x03')
    .slice(0, lines.length)
    .map((record) => {
      const [words = '', status] = record.split('\x02');
      return status === '0' ? words.split('\x01').slice(0, -1) : undefined;
    });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the gate's parse; undefined where the gate itself reports that it does not know. */
function byUs(text: string): readonly string[] | undefined {
  let words: readonly string[] | undefined;
  const shell = new ShellInterpreter(
    {
      call(machine, fields) {
        const [first, ...rest] = fields.map((field) => field.text);
        if (first === 'argv') words = rest;
        else if (first === 'set') machine.scope.positional = rest.slice(1);
        else if (first === 'echo') return ECHO(rest);
        else if (first === 'printf') return rest[1] ?? '';
        return '';
      },
      assignment() {},
      definition() {},
      redirect() {},
    },
    { cwd: undefined, files: undefined, reading: undefined, own: undefined },
    new Set(),
  );
  const script = parse(`${SETUP}\n${text}`);
  if (script.errors?.length) return undefined;
  shell.runScript(script, { stdin: undefined });
  if (shell.verdict.unresolved || words?.some(hasUnknown)) return undefined;
  return words;
}

const ECHO = (words: readonly string[]): string =>
  words[0] === '-e' ? `${words.slice(1).join(' ').replace('\\x62', 'b')}\n` : `${words.join(' ')}\n`;

test(`the gate parses ${CASES} random quotings like real bash, except where it reports that it does not know`, {
  timeout: 600_000,
}, () => {
  const cwd = mkdtempSync(join(tmpdir(), 'fuzz-'));
  try {
    const lines = fc.sample(line, {
      numRuns: CASES,
    });
    const real = byBash(lines, cwd);
    const disagreements: unknown[] = [];
    let compared = 0;
    for (const [index, text] of lines.entries()) {
      const theirs = real[index];
      const ours = byUs(text);
      if (!theirs || !ours) continue;
      compared++;
      if (JSON.stringify(theirs) !== JSON.stringify(ours)) disagreements.push({ text, theirs, ours });
    }
    expect(disagreements.slice(0, 10)).toEqual([]);
    expect(compared).toBeGreaterThan(CASES / 2);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
