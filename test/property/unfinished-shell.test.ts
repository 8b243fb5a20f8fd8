import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ShellLines } from '../../src/text/shell.ts';

/** Forms of shell syntax; `X` is replaced by a nested command. */
const FORMS = [
  ...['if X; then X\nfi', 'for i in a b; do X; done', 'case a in a) X;; (b) X;; esac', '{ X; }', '(X)', 'echo "$(X)"'],
  ...['cat <<E\nX\nE', 'X && X', 'X | X', 'f() { X; }', 'echo `ls`', 'while X; do X; done < f', "echo 'q'", 'X # c'],
  ...['a=(1 $(X) 2)', '[[ a == b && -f c ]] && X', '((1+2)) && X', 'echo $((1<<2))', 'ls \\\n -l', "echo $'\\''"],
  ...[
    "cat <<'E' | X\n$(\nE",
    'cat <<-E\n\t"\n\tE',
    'x=$(X) ls',
    'echo "a\n\nb"',
    'diff <(X) <(X)',
    'cat <<A <<B\nA\n"\nB',
  ],
  ...['for ((;;)); do X; done', 'function h { X; }', 'until X; do X; done', 'X <<< "a"', 'X > f 2>&1', '! X'],
];
const { script } = fc.letrec<{ script: string }>((tie) => ({
  script: fc
    .tuple(
      fc.constantFrom(...FORMS),
      fc.array(fc.oneof({ maxDepth: 3 }, fc.constant('ls'), tie('script')), { minLength: 3, maxLength: 3 }),
    )
    .map(([form, parts]) => {
      let at = 0;
      return form.replace(/X/g, () => parts[at++ % parts.length] ?? 'ls');
    }),
}));
const cut = fc
  .tuple(script, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([text, part]) => text.slice(0, Math.round(text.length * part)));

function ours(text: string): boolean {
  const shell = new ShellLines();
  for (const line of text.split('\n')) shell.read(line);
  return shell.unfinished !== undefined;
}

/** Undefined for an error other than an unexpected end. */
function bash(text: string): boolean | undefined {
  const { stderr } = spawnSync('bash', ['--norc', '-n'], {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (/unexpected EOF|unexpected end of file|delimited by end-of-file/.test(stderr)) return true;
  return stderr === '' ? false : undefined;
}

it('ShellLines agrees with bash for a script that is cut anywhere', () => {
  fc.assert(
    fc.property(fc.oneof(script, cut), (text) => {
      // bash -n does not report a backslash at the very end.
      fc.pre(!text.endsWith('\\'));
      const said = bash(text);
      if (said !== undefined) expect(ours(text)).toBe(said);
    }),
    { numRuns: 60 },
  );
});
