import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGate } from '../../src/safety/index.ts';

let cwd = '';
let outside = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'targets-'));
  outside = mkdtempSync(join(tmpdir(), 'outside-'));
  mkdirSync(join(cwd, 'build'));
  writeFileSync(join(cwd, 'build', 'a.o'), 'a');
  writeFileSync(join(outside, 'a.o'), 'precious');
  symlinkSync('nowhere', join(cwd, 'dangling'));
});
afterEach(() => {
  for (const root of [cwd, outside]) rmSync(root, { recursive: true });
});

const swapForLink = (path: string) => {
  renameSync(path, `${path}.old`);
  symlinkSync(outside, path);
};

const pointElsewhere = (name: string) => {
  rmSync(join(cwd, name), { force: true });
  symlinkSync(join(outside, 'none'), join(cwd, name));
};

/** Judges, lets something happen while the question is open, and says whether the command may then start. */
async function mayStart(command: string, meanwhile: () => void): Promise<boolean> {
  const gate = createGate({ enabled: false });
  const { destructive, basis } = await gate.judge(
    { kind: 'command', command, job: false },
    { cwd, goal: '', signal: new AbortController().signal },
  );
  expect(destructive).toBe(true);
  meanwhile();
  return basis !== undefined && (await gate.begin(basis));
}

test('what still names the same may start', async () => {
  for (const command of ['rm -rf build', 'rm build/*', 'rm gone', 'rm dangling', 'echo x > build/a.o'])
    expect(await mayStart(command, () => {}), command).toBe(true);
  expect(
    await mayStart('rm build/*', () => writeFileSync(join(cwd, 'build', 'a.o'), 'other text')),
    'another content is no other file',
  ).toBe(true);
});

test.each([
  ['rm -rf build/*', 'a directory becomes a link', () => swapForLink(join(cwd, 'build'))],
  ['rm build/a.o', 'a directory becomes a link', () => swapForLink(join(cwd, 'build'))],
  ['rm build/gone', 'what is around it becomes a link', () => swapForLink(join(cwd, 'build'))],
  ['echo x > build/a.o', 'the target becomes a link', () => swapForLink(join(cwd, 'build', 'a.o'))],
  ['cd build && rm *', 'the directory becomes a link', () => swapForLink(join(cwd, 'build'))],
  ['rm build/*', 'a pattern matches more', () => writeFileSync(join(cwd, 'build', 'b.o'), 'b')],
  ['rm -f gone', 'what was missing is there', () => writeFileSync(join(cwd, 'gone'), 'new')],
  ['for f in build/*; do rm "$f"; done', 'a pattern of a loop', () => swapForLink(join(cwd, 'build'))],
  ['rm dangling', 'a link that leads nowhere leads elsewhere', () => pointElsewhere('dangling')],
  ['rm dangling', 'a link behind it leads elsewhere', () => pointElsewhere('nowhere')],
])('%s may not start once %s', async (command, _what, meanwhile) => {
  expect(await mayStart(command, meanwhile)).toBe(false);
});

test.each([
  ['bash clean.sh', 'the script is another', () => writeFileSync(join(cwd, 'clean.sh'), 'rm -rf precious')],
  ['bash clean.sh', 'the script is a link', () => swapForLink(join(cwd, 'clean.sh'))],
  ['python3 clean.py', 'the script is another', () => writeFileSync(join(cwd, 'clean.py'), 'print(1)')],
  ['python3 clean.py', 'a module of it is another', () => writeFileSync(join(cwd, 'wiping.py'), 'def wipe(): pass')],
  ['make clean', 'the makefile is another', () => writeFileSync(join(cwd, 'Makefile'), 'clean:\n\trm -rf precious\n')],
  ['make clean', 'another makefile goes first', () => writeFileSync(join(cwd, 'GNUmakefile'), 'clean:\n\trm -rf x\n')],
  [
    'npm run clean',
    'the scripts are others',
    () => writeFileSync(join(cwd, 'package.json'), '{"scripts":{"clean":"x"}}'),
  ],
  ['./clean.sh', 'the script is gone', () => rmSync(join(cwd, 'clean.sh'))],
])('what was read to judge %s is bound to the answer: it may not start once %s', async (command, _what, meanwhile) => {
  const script = 'rm -rf build\n';
  const texts = {
    'clean.sh': `#!/bin/bash\n${script}`,
    'clean.py': 'import wiping\nwiping.wipe()\n',
    'wiping.py': 'import shutil\ndef wipe():\n    shutil.rmtree("build")\n',
    Makefile: `clean:\n\t${script}`,
    'package.json': '{"scripts":{"clean":"rm -rf build"}}',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(cwd, name), text, { mode: 0o755 });
  expect(await mayStart(command, () => {}), 'unchanged').toBe(true);
  expect(await mayStart(command, meanwhile), 'changed').toBe(false);
});
