import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';

type Row = { readonly label: string; readonly cmd: string };

const safe = ['gate', 'everyday']
  .flatMap((name) =>
    readFileSync(new URL(`../corpus/${name}.jsonl`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as Row).cmd),
  )
  // One plain command: what is added then belongs to it and to nothing else.
  .filter((cmd) => /^[a-z][\w.+-]* [^|&;<>(){}`$#\n'"]*$/.test(cmd) && judgeCommand(cmd).verdict === 'safe');
const line = fc.constantFrom(...safe);
/** Programs for which every word is text, and the shell's own test. */
const TAKES_ANYTHING = /^(echo|printf|true|false|test|expr|exit|return|set|shift|cd|read|export|declare|local)\b/;

test('an option that nobody knows leaves no line safe', () => {
  fc.assert(
    fc.property(
      line.filter((text) => !TAKES_ANYTHING.test(text)),
      fc.constantFrom('--aish-no-such-option', '--aish-no-such-option=x', '-\u00e4'),
      (text, option) => {
        const [program = '', ...rest] = text.split(' ');
        expect(judgeCommand([program, option, ...rest].join(' ')).verdict).not.toBe('safe');
      },
    ),
    { numRuns: 2000 },
  );
});

test('an assignment that nobody knows leaves no line safe', () => {
  const names = fc.constantFrom(
    'AISH_NO_SUCH',
    'PATH',
    'LD_PRELOAD',
    'GIT_PAGER',
    'PAGER',
    'BASH_ENV',
    'NODE_OPTIONS',
    'HOME',
  );
  fc.assert(
    fc.property(line, names, fc.constantFrom('', 'env ', 'sudo '), (text, name, wrapper) => {
      expect(judgeCommand(`${wrapper}${name}=x ${text}`).verdict).not.toBe('safe');
    }),
    { numRuns: 2000 },
  );
});

test('a redirection into a file that may be there leaves no line safe', () => {
  fc.assert(
    fc.property(
      line,
      fc.constantFrom('> notes.md', '>| notes.md', '1<> notes.md', '&> n*.md', '>> ~/.bashrc', '2> .git/config'),
      (text, redirect) => {
        expect(judgeCommand(`${text} ${redirect}`).verdict).not.toBe('safe');
      },
    ),
    { numRuns: 2000 },
  );
});

const WRITES: readonly ((file: string) => string)[] = [
  (file) => `echo x > ${file}`,
  (file) => `echo x >> ${file}`,
  (file) => `echo x | tee ${file}`,
  (file) => `echo x | tee -a ${file}`,
  (file) => `cp x ${file}`,
  (file) => `mv x ${file}`,
  (file) => `curl -o ${file} https://example.com`,
  (file) => `sed -i s/a/b/ ${file}`,
];

test.each([
  ['.git/config', 'git status'],
  ['.git/hooks/pre-commit', 'git commit -m x'],
  ['.gitattributes', 'git diff'],
  ['~/.bashrc', 'ls'],
  ['~/.gitconfig', 'git log'],
  ['~/.local/bin/ls', 'ls'],
  ['conftest.py', 'pytest'],
  ['pytest.ini', 'pytest'],
  ['package.json', 'npm ls'],
  ['.npmrc', 'npm ls'],
  ['jest.config.js', 'jest'],
  ['CMakeLists.txt', 'cmake -B build'],
  ['build.rs', 'cargo build'],
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['Dockerfile', 'docker build .'],
  ['compose.yml', 'docker compose up -d'],
  ['.envrc', 'ls'],
  ['setup.py', 'pip install x'],
])('writing %s in any way leaves what obeys it not safe: %s', (file, obeys) => {
  expect(WRITES.filter((write) => judgeCommand(`${write(file)} && ${obeys}`).verdict === 'safe')).toEqual([]);
});
