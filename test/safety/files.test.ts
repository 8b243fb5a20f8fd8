/**
 * Looking up files has its own time limit, which a busy machine does not use up; a file that was not looked up counts
 * as unknown.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { realFiles } from '../../src/safety/files.ts';
import { judgeCommand } from '../../src/safety/judge.ts';
import { recoveryOf } from '../../src/safety/recoverable.ts';

let cwd = '';
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'looks-')));
  mkdirSync(join(cwd, 'there'));
  writeFileSync(join(cwd, 'full'), 'text');
  symlinkSync('/etc/passwd', join(cwd, 'innocent'));
});
afterAll(() => rmSync(cwd, { recursive: true }));
afterEach(() => void vi.restoreAllMocks());

/** Makes every second reading of the clock this much later, as on a machine that is busy during each check. */
function busyFor(milliseconds: number): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += milliseconds / 2;
    return now;
  });
}

const judged = (command: string, limitMs?: number) => judgeCommand(command, { cwd, files: realFiles(limitMs) });

describe('the time limit for looking at files, on a busy machine,', () => {
  it('hardly counts the time in which other work ran', () => {
    const files = realFiles();
    busyFor(200);
    expect(files.stat(join(cwd, 'none'))).toBeUndefined();
    vi.restoreAllMocks();
    expect(files.stat(join(cwd, 'none'))).toBeUndefined();
    expect(files.ranOut()).toBe(false);
  });

  it('still ends when other work takes very long', () => {
    const files = realFiles();
    busyFor(3000);
    files.stat(join(cwd, 'none'));
    expect(files.stat(join(cwd, 'none'))).toMatchObject({ kind: 'unseen' });
    expect(files.ranOut()).toBe(true);
  });
});

describe('a file that could not be checked in time', () => {
  it('is not reported as existing', () => {
    const { verdict, findings } = judged('mkdir out && echo made > out/a', -1);
    expect(verdict).toBe('destructive');
    expect(findings.map(({ verb }) => verb)).toEqual([
      'names files that could not be checked in time',
      'may overwrite a file: it could not be checked',
    ]);
    expect(judged('echo made > full').findings.map(({ verb }) => verb)).toEqual(['empties an existing file']);
  });

  it.each(['echo x >> innocent', 'touch innocent', 'cp full there'])('is never judged harmless: %s', (command) => {
    expect(judged(command, -1).verdict).toBe('destructive');
  });

  it('counts as undoable once a second look finds that it does not exist', async () => {
    const command = 'echo made > none';
    const { findings } = await recoveryOf(command, judged(command, -1), { cwd, tree: cwd });
    expect(findings.map(({ rule, undoable, recoverable }) => [rule, undoable, recoverable])).toEqual([
      ['unresolved code', false, false],
      ['truncating redirection', true, true],
    ]);
  });
});
