import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { probeScript, readProbe } from '../../../src/remote/fleet/probe.ts';

let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'aish-probe-'));
});
afterEach(() => {
  if (existsSync(join(work, 'closed'))) chmodSync(join(work, 'closed'), 0o700);
  rmSync(work, { recursive: true, force: true });
});

function probe(...paths: string[]) {
  const named = paths.map((path) => ({ path, glob: path.includes('*'), cwd: work }));
  const answer = execFileSync('/bin/sh', ['-c', probeScript(named) ?? 'exit 1'], { encoding: 'utf8' });
  return readProbe(answer, named);
}

it('the host’s probe reports the kind of each name, link targets, and the contents of directories', () => {
  mkdirSync(join(work, 'build/deep'), { recursive: true });
  for (const name of ['a', 'deep/b']) writeFileSync(join(work, 'build', name), 'x');
  symlinkSync('../elsewhere', join(work, 'link'));
  mkdirSync(join(work, 'repo/.git'), { recursive: true });
  const [build, link, missing, repo] = probe('build/', 'link', 'none/at/all', 'repo') ?? [];
  expect(build).toMatchObject({ label: 'build/', path: join(work, 'build'), type: 'directory', files: 2, git: 'none' });
  expect(link).toMatchObject({ type: 'link', link: '../elsewhere' });
  expect(missing).toMatchObject({ type: 'missing', files: 0, bytes: 0 });
  expect(repo).toMatchObject({ type: 'directory', git: 'inside' });
  expect(build?.mount).toMatch(/^\//);
});

it('the host’s probe expands a pattern, and never runs a file name as code', () => {
  const names = ['a b.log', '$(touch ran).log', '`touch ran`.log', "it's.log", '-rf.log', 'new\nline.log'];
  for (const name of names) writeFileSync(join(work, name), 'x');
  expect(
    probe('*.log')
      ?.map(({ path }) => path.slice(work.length + 1))
      .sort(),
  ).toEqual([...names].sort());
  for (const name of names) expect(probe(name)).toMatchObject([{ type: 'file', path: join(work, name) }]);
  expect(probe('ran', '*.none')).toMatchObject([{ type: 'missing' }, { type: 'missing' }]);
});

it('the host’s answer is discarded when it is incomplete or has a name that is not UTF-8', () => {
  const named = [{ path: 'x', glob: false, cwd: '/' }];
  expect(readProbe(undefined, named)).toBeUndefined();
  expect(readProbe('0\0/x\0file\0\0/\0none\x001\x001\x000\0', named)).toBeUndefined();
  expect(readProbe('0\0/x\0file\0\0/\0none\x001\x001\x000\0end\0', named)).toHaveLength(1);
  expect(readProbe('0\0/x\ufffd\0file\0\0/\0none\x001\x001\x000\0end\0', named)).toBeUndefined();
  expect(readProbe('failed\0', named)).toBeUndefined();
  expect(readProbe('0\0/x\0ok\0\0/\0none\x001\x001\x000\0end\0', named)).toBeUndefined();
});

it.skipIf(process.getuid?.() === 0)('the host’s probe reports nothing as missing below an unreadable directory', () => {
  mkdirSync(join(work, 'closed'));
  chmodSync(join(work, 'closed'), 0);
  expect(probe('closed/x')).toBeUndefined();
});

it('the host’s probe gives no answer for more names than its limit', () => {
  for (let n = 0; n < 60; n += 1) writeFileSync(join(work, `${n}.log`), '');
  expect(probe('*.log')).toBeUndefined();
  expect(probeScript(Array.from({ length: 51 }, () => ({ path: 'x', glob: false, cwd: work })))).toBeUndefined();
});
