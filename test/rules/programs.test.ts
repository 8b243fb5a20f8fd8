/**
 * The suite passes where only the programs of `scripts/bare-machine.sh` are installed; `test/support/lacks.ts` looks
 * for any other that a test runs. The scan finds programs written as a word or a path, not composed ones.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const TEST = join(import.meta.dirname, '..');

const declared = new Set(
  /^PROGRAMS='([^']*)'/m
    .exec(readFileSync(join(TEST, '../scripts/bare-machine.sh'), 'utf8'))?.[1]
    ?.trim()
    .split(/\s+/),
);

/** A program by its full path, with its name in a group. */
const FULL_PATH = /(?<=['"`\s=:])\/(?:usr\/|usr\/local\/|opt\/[\w-]+\/)?s?bin\/(?!\.\.)([\w.+-]+)/g;

/** A program that a test starts by its name. */
const STARTED = /\b(?:spawn|spawnSync|execSync|execFile|execFileSync|inPty)\(\s*\[?\s*['"`]([\w.+-]+)(?=['"`\s])/g;

/** A line for a shell, typed or passed on; and the programs in it that this project's tests use. */
const LINE = /(?:\brun\(|\bcall\('bash', \{ command: )\s*(['"`])(.*?)\1|\.type\(\s*(['"`])([^\n]*?)\\r\3/g;
const OPTIONAL =
  /(?<=^|[|&;(]\s*)(?:awk|cc|diff|file|fish|gcc|git|less|make|man|nano|perl|pgrep|ps|python3?|script|ssh|strace|tar|tmux|top|vim?|zsh)(?=$|[\s\\;|&)])/g;

/** Returns what is wrong in a file's text: programs named by a path, or run without a check that they exist. */
function faults(text: string): readonly string[] {
  const paths = [...text.matchAll(FULL_PATH)].filter(([, name = '']) => !declared.has(name)).map(([path]) => path);
  const started = [...text.matchAll(STARTED)].map(([, name = '']) => name).filter((name) => !declared.has(name));
  const lines = [...text.matchAll(LINE)].flatMap(
    ([, , run = '', , typed = '']) => (run || typed).match(OPTIONAL) ?? [],
  );
  return [...paths, ...[...started, ...lines].filter((name) => !text.includes(`('${name}')`))];
}

it('no test runs a program that a machine may lack without checking for it', () => {
  const files = globSync('**/*.{ts,tsx,mjs}', { cwd: TEST }).filter((path) => !path.endsWith('rules/programs.test.ts'));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((path) => {
    const wrong = faults(readFileSync(join(TEST, path), 'utf8'));
    return wrong.length === 0 ? [] : [`${path}: ${wrong.join(', ')}`];
  });
  expect(found).toEqual([]);
});

it('the scan for programs finds its examples', () => {
  expect(declared.size).toBeGreaterThan(100);
  expect(faults("existsSync('/usr/bin/zsh')")).toEqual(['/usr/bin/zsh']);
  expect(faults("const shells = ['/bin/bash', '/opt/homebrew/bin/zsh'];")).toEqual(['/opt/homebrew/bin/zsh']);
  expect(faults("execFileSync(\n  'git', ['init'])")).toEqual(['git']);
  expect(faults("rig.type('less poem\\r');")).toEqual(['less']);
  expect(faults("shell.run('vim -n note.txt')")).toEqual(['vim']);
  expect(faults("run('seq 1 500 | less; true')")).toEqual(['less']);
  expect(faults("it.skipIf(lacks('vim'))('…', () => shell.run('vim -n note.txt'))")).toEqual([]);
  expect(faults("spawn('/bin/sh', ['-c', 'seq 3']); execFile('mkfifo', [path]); rig.type('lesser')")).toEqual([]);
});

it('the list of tests that a bare machine skips is complete, and lists no other tests', () => {
  const lines = readFileSync(join(TEST, 'bare-skips.txt'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const listed = lines.map((line) => line.replace(/^(?:\? )?test\//, '').split(' > '));
  const gone = listed.filter(([file = '', ...titles]) => {
    const text = existsSync(join(TEST, file)) ? readFileSync(join(TEST, file), 'utf8') : undefined;
    return text === undefined || titles.some((title) => !text.includes(`'${title}'`));
  });
  expect(gone).toEqual([]);
  const skipping = globSync('**/*.test.{ts,tsx}', { cwd: TEST }).filter(
    (path) => path !== 'rules/programs.test.ts' && readFileSync(join(TEST, path), 'utf8').includes('lacks('),
  );
  expect(skipping.filter((path) => !listed.some(([file]) => file === path))).toEqual([]);
});

it('no test file mocks a module for the files that share its process', () => {
  // `vi.mock` has no effect on a module that an earlier file loaded; use resetModules, doMock, import() and doUnmock.
  const mocks = /^vi\.mock\(/m;
  const files = globSync('**/*.test.{ts,tsx}', { cwd: TEST });
  expect(files.filter((path) => mocks.test(readFileSync(join(TEST, path), 'utf8')))).toEqual([]);
});
