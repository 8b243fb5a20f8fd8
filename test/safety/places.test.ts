import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeCommand, realFiles } from '../../src/safety/index.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'places-'));
  mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
  mkdirSync(join(cwd, 'src', 'bin'), { recursive: true });
  for (const name of ['notes.txt', 'old.txt', 'old.txt~', 'src/notes.txt']) writeFileSync(join(cwd, name), 'x');
  symlinkSync('/etc', join(cwd, 'system'));
  symlinkSync(join(cwd, '.git', 'hooks'), join(cwd, 'h'));
  symlinkSync('src', join(cwd, 'current'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const verdict = (command: string) => judgeCommand(command, { cwd, files: realFiles() }).verdict;

test.each([
  'echo x > system/new-file',
  'echo x >> system/cron.d/new',
  'tee system/ld.so.preload < notes.txt',
  'cp notes.txt system/profile.d/x.sh',
  'curl -o system/cron.d/x https://example.com/x',
  'cd system && echo x > cron.d/new',
  `python3 -c 'open("system/cron.d/x", "w").write("x")'`,
  'echo x > h/pre-commit',
  'cp notes.txt h',
  'cp -n notes.txt h/post-merge',
  'cd h; touch pre-push',
])('a link to a directory is followed before a write is judged: %s', (command) => {
  expect(verdict(command)).not.toBe('safe');
});

test.each([
  'echo x > current/new.txt',
  'cp notes.txt src/bin/x.txt',
  'cd src && echo x > new.txt',
  'cp -n notes.txt old.txt',
  'cp --backup=numbered notes.txt old.txt',
  'mkdir -p ~/.local/some-tool/x',
  'cp notes.txt src/copy.txt',
])('a write to an ordinary place is safe: %s', (command) => {
  expect(verdict(command)).toBe('safe');
});

test.each([
  ['cp --backup=off notes.txt old.txt', 'no copy is kept'],
  ['cp -b notes.txt old.txt', 'the copy of an earlier time is lost'],
  ['cp -b -S "" notes.txt old.txt', 'the copy has the name of the file'],
  ['cp -n -f notes.txt old.txt', 'the later option wins'],
  ['cp --update=none --update=all notes.txt old.txt', 'the later option wins'],
  ['ln -sfn /tmp current', 'the link that is there goes'],
  ['cp notes.txt src', 'a file of that name is in the directory'],
  ['rsync notes.txt src/', 'the directory is there'],
  ['unzip a.zip -d src', 'the directory is there'],
])('%s is not safe: %s', (command) => {
  expect(verdict(command)).not.toBe('safe');
});

test('a path in ~ is looked up in the real home directory', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  writeFileSync(join(home, 'notes.txt'), 'x');
  const files = { ...realFiles(), home };
  expect(judgeCommand('echo x > ~/notes.txt', { cwd, files }).verdict).toBe('destructive');
  expect(judgeCommand('echo x > ~/new.txt', { cwd, files }).verdict).toBe('safe');
  rmSync(home, { recursive: true });
});
