import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realFiles } from '../../src/safety/files.ts';
import { gitReader } from '../../src/safety/impact/git.ts';
import { readsAlone } from '../../src/safety/only-reads.ts';
import { showsCredentials } from '../../src/safety/shows-credentials.ts';

let place = '';

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'aish-shows-'));
  for (const folder of ['.ssh', 'app/.aws', 'src/deep']) mkdirSync(join(place, folder), { recursive: true });
  for (const file of ['.env', '.ssh/id_rsa', 'app/.aws/credentials', 'src/deep/a.ts', 'README.md', 'notes'])
    writeFileSync(join(place, file), 'x\n');
  for (const folder of ['.clean', 'empty']) mkdirSync(join(place, folder));
  symlinkSync('../.ssh', join(place, '.clean/ref'));
  symlinkSync('../.env', join(place, '.clean/own'));
  symlinkSync(join(place, '.env'), join(place, 'linked'));
});
afterAll(() => rmSync(place, { recursive: true }));

const git = gitReader();
const shows = (command: string) => showsCredentials(command, place, { cwd: place, files: realFiles(), git });

describe('may show a credential', () => {
  test.each([
    'cat .env',
    'cat .ssh/*',
    'cat .e*',
    'cat .*',
    'cat .ssh/id_r??',
    'cat linked',
    'cat < .env',
    'tar cf new.tar . && cat new.tar',
    'zip -r new.zip . ; unzip -p new.zip',
    'cp -r . copy && grep -r x copy',
    'cp -r app ../b; head ../b/app/.aws/credentials',
    'git archive HEAD -o n.tar && tar xOf n.tar',
    'ls | cpio -o',
    'ack TOKEN',
    'head -3 README.md .env',
    'grep -r TOKEN .',
    'grep -rn TOKEN',
    'grep -re TOKEN -e src',
    'grep -r x app',
    'rg --hidden TOKEN',
    'cd .ssh && cat id_rsa',
    'cd .ssh; cd ..; (cd src); cat .env',
    'cat $(ls -a)',
    'for f in .ssh/*; do cat $f; done',
    'wc --files0-from=.env',
    'sort --files0-from=.env',
    'git show HEAD:.env',
    'ps auxe',
    'head -c 100 /dev/mem',
    'cat .env | tee copy',
    'shopt -s dotglob; cat *',
  ])('%s', async (command) => expect(await shows(command)).toBe(true));
});

describe('shows none', () => {
  test.each([
    'ls -la',
    'ls -la .ssh',
    'find . -name "*.env"',
    'cat README.md',
    'cat *',
    'grep -rn x src',
    'rg TOKEN',
    'cd src && cat deep/*.ts',
    'git log -3',
    'stat .env',
    'ps aux',
    'cat README.md > /dev/null',
    'date; uptime',
  ])('%s', async (command) => {
    if (command === 'cat *') rmSync(join(place, 'linked'), { force: true });
    expect(await shows(command)).toBe(false);
  });
});

test('what is looked through has a bound: beyond it the answer is yes', async () => {
  const many = join(place, 'src/many');
  mkdirSync(many);
  for (let at = 0; at < 5100; at += 1) writeFileSync(join(many, `f${at}`), '');
  expect(await shows('grep -r x src')).toBe(true);
  rmSync(many, { recursive: true });
});

test('what reads alone may also move and refresh', () => {
  const alone = (command: string) => readsAlone(command, { cwd: place, files: realFiles() });
  expect(['cd src && ls', 'cat README.md | wc -l'].map(alone)).toEqual([true, true]);
  expect(['git status', 'ls; git log -3'].map(alone)).toEqual(['held', 'held']);
  expect(['mkdir d', 'git commit -m x', 'cd src && touch x', 'ls > out'].filter(alone)).toEqual([]);
});

describe('may show a credential, from a directory that holds none', () => {
  const from = (command: string) =>
    showsCredentials(command.replaceAll('@', place), join(place, '.clean'), {
      cwd: join(place, '.clean'),
      files: { ...realFiles(), home: place },
      git,
    });

  test.each([
    'cd @ && grep -r TOKEN .',
    'cd @/.ssh && cat *',
    'cd @/.ssh && cat id_*',
    '(cd @; cat .e*)',
    'cd && cat .e*',
    'cd - && cat *',
    'grep --recurs TOKEN ..',
    'grep -d recurse TOKEN ..',
    'grep --dir=recurse TOKEN ..',
    'grep -R TOKEN .',
    'diff -N .. ../empty',
    'diff -rN . ../empty',
    "rg -g '.*' TOKEN ..",
    "rg --glob='.e*' TOKEN ..",
    'git diff --no-index ../empty ..',
    'git diff @/empty @',
    'git grep --no-index -h TOKEN ..',
    'git diff --no-index /dev/null own',
    'git show :0:.env',
    'git blame --ignore-revs-file=own a.ts',
    'date -f../.env',
    'grep -vf../.env a.ts',
    'grep -nHvf../.env a.ts',
    'sed -nf../.env a.ts',
    'grep -ivfown a.ts',
    'awk -f../.env',
    `awk '{getline x < "../.env"; print x}' a.ts`,
    `node -e 'console.log(require("fs").readFileSync("../.env","utf8"))'`,
    `python3 -c "print(open('../.env').read())"`,
    'tar cf - .. | tar xO',
    'tar -c .. | strings',
    'git --no-pager diff --no-index ../empty ..',
    'git --no-pager grep --untracked TOKEN ..',
    'tree --fromfile ../.env',
    'GLOBIGNORE=x; cat @/*',
    'cat /proc/thread-self/environ',
    'cat /proc/self/task/1/environ',
    'cat /proc/self/cwd/own',
    'cat ~/.local/state/aish-tui/mcp-logins/0123.json',
  ])('%s', async (command) => expect(await from(command)).toBe(true));

  test.each([
    'cd @/src && cat deep/*.ts',
    'git diff HEAD~1 -- a.ts',
    'git grep TOKEN',
    'git log -3',
    'cut -d: -f1 a.ts',
    'tar czf all.tgz ..',
    'tar czf all.tgz .. && cat a.ts',
    'cp -r deep ../deeper && cat ../deeper/a.ts',
    'tar tf a.tgz',
    `node -e 'console.log(process.env.HOME)'`,
    'date -u',
  ])('but not %s', async (command) => expect(await from(command)).toBe(false));
});
