/** Chooses a launcher, and never one for another machine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { detectSandbox, findLauncher } from '../../../src/effects/sandbox/index.ts';

let place: string;
let base: URL;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'aish-find-'));
  mkdirSync(join(place, 'aish-tui/dist'), { recursive: true });
  base = pathToFileURL(join(place, 'aish-tui/dist/program.mjs'));
});
afterEach(() => rmSync(place, { recursive: true }));

/** The first bytes of a program for a machine; 62 is x64 and 183 arm64. */
function elf(machine: number): Buffer {
  const head = Buffer.alloc(64);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  head.writeUInt16LE(machine, 18);
  return head;
}

const built = (content: Buffer | string) => put('aish-tui/dist/aish-sandbox', content);
const carried = (arch: string, content: Buffer | string, below = 'node_modules') =>
  put(`${below}/@aish-tui/sandbox-linux-${arch}/aish-sandbox`, content);

function put(path: string, content: Buffer | string): string {
  mkdirSync(join(place, path, '..'), { recursive: true });
  writeFileSync(join(place, path), content, { mode: 0o755 });
  return join(place, path);
}

it('the search prefers the launcher built in this checkout to the one in the package', () => {
  carried('x64', elf(62));
  const ours = built(elf(62));
  expect(findLauncher(base, 'x64')).toBe(ours);
});

it.each(['node_modules', 'aish-tui/node_modules'])(
  'the search finds the launcher of the optional package in %s',
  (below) => {
    const ours = carried('arm64', elf(183), below);
    carried('x64', elf(62), below);
    expect(findLauncher(base, 'arm64')).toBe(ours);
  },
);

it.each([
  ['a launcher for another machine', elf(183)],
  ['a 32-bit launcher', Buffer.from(elf(62)).fill(1, 4, 5)],
  ['a script', '#!/bin/sh\nexec "$@"\n'],
  ['an empty file', ''],
])(
  'the search skips %s, whether built or packaged, and names the expected path when nothing is left',
  async (_what, content) => {
    built(content);
    carried('x64', content);
    const launcher = findLauncher(base, 'x64');
    expect(launcher).toBe(join(place, 'aish-tui/dist/aish-sandbox-x64'));
    const status = await detectSandbox({ launcher });
    expect(status).toMatchObject({ available: false, why: expect.stringContaining('--omit=optional') });
  },
);
