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

/** Judges a command, changes something while the question is open, and returns whether the command may then start. */
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

test('an approved command may start while its targets are unchanged', async () => {
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
  ['rm build/gone', 'its parent directory becomes a link', () => swapForLink(join(cwd, 'build'))],
  ['echo x > build/a.o', 'the target becomes a link', () => swapForLink(join(cwd, 'build', 'a.o'))],
  ['cd build && rm *', 'the directory becomes a link', () => swapForLink(join(cwd, 'build'))],
  ['rm build/*', 'a pattern matches more', () => writeFileSync(join(cwd, 'build', 'b.o'), 'b')],
  ['rm -f gone', 'the missing file exists', () => writeFileSync(join(cwd, 'gone'), 'new')],
  [
    'for f in build/*; do rm "$f"; done',
    'the directory in a loop’s pattern becomes a link',
    () => swapForLink(join(cwd, 'build')),
  ],
  ['rm dangling', 'a dangling link points elsewhere', () => pointElsewhere('dangling')],
  ['rm dangling', 'a second link points elsewhere', () => pointElsewhere('nowhere')],
])('the approved command %s may not start once %s', async (command, _what, meanwhile) => {
  expect(await mayStart(command, meanwhile)).toBe(false);
});

test.each([
  ['bash clean.sh', 'the script is another', () => writeFileSync(join(cwd, 'clean.sh'), 'rm -rf precious')],
  ['bash clean.sh', 'the script is a link', () => swapForLink(join(cwd, 'clean.sh'))],
  ['python3 clean.py', 'the script is another', () => writeFileSync(join(cwd, 'clean.py'), 'print(1)')],
  ['python3 clean.py', 'its module has changed', () => writeFileSync(join(cwd, 'wiping.py'), 'def wipe(): pass')],
  ['make clean', 'the makefile has changed', () => writeFileSync(join(cwd, 'Makefile'), 'clean:\n\trm -rf precious\n')],
  [
    'make clean',
    'another makefile takes precedence',
    () => writeFileSync(join(cwd, 'GNUmakefile'), 'clean:\n\trm -rf x\n'),
  ],
  [
    'npm run clean',
    'the scripts have changed',
    () => writeFileSync(join(cwd, 'package.json'), '{"scripts":{"clean":"x"}}'),
  ],
  ['./clean.sh', 'the script is gone', () => rmSync(join(cwd, 'clean.sh'))],
])('an approval of %s is void, since %s', async (command, _what, meanwhile) => {
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
