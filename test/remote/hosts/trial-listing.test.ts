/** A hostile host's report about a trial is bounded, checked, and limited to what was asked. */
import { describe, expect, it } from 'vitest';
import { FarTrialDisk } from '../../../src/effects/undo/far-trials.ts';
import type { FarWork } from '../../../src/effects/undo/launcher.ts';
import { readChanges, TrialStore } from '../../../src/effects/undo/trials.ts';

const trees = ['/srv/app', '/tmp'];
const read = (...fields: readonly string[]) =>
  readChanges(Buffer.from(fields.map((field) => `${field}\0`).join('')), [], { directory: '/store/1', trees });

describe('the list of a trial', () => {
  it('contains paths in its trees', () => {
    expect(read('D f 420 12 1 -', '/srv/app/a b', 'A l 511 3 1 -', '/tmp/x\ny')).toMatchObject({
      changes: [
        { path: '/srv/app/a b', kind: 'deleted', type: 'file', bytes: 12 },
        { path: '/tmp/x\ny', kind: 'created', type: 'link' },
      ],
      deletedBytes: 12,
    });
    expect(read()).toMatchObject({ changes: [] });
  });

  it.each([
    ['outside', 'D f 420 1 1 -', '/etc/passwd'],
    ['a path with ..', 'D f 420 1 1 -', '/srv/app/../../etc/passwd'],
    ['the tree itself', 'D d 420 0 1 -', '/srv/app'],
    ['a path beside the tree', 'D f 420 1 1 -', '/srv/app2/x'],
    ['an invalid path', 'D f 420 1 1 -', ''],
    ['relative', 'D f 420 1 1 -', 'srv/app/x'],
    ['another kind of change', 'Z f 420 1 1 -', '/srv/app/x'],
    ['another type of file', 'D constructor 420 1 1 -', '/srv/app/x'],
    ['an invalid mode', 'D f 99999999 1 1 -', '/srv/app/x'],
    ['a negative size', 'D f 420 -1 1 -', '/srv/app/x'],
    ['a missing size', 'D f 420 1e99 1 -', '/srv/app/x'],
    ['a cut list', 'D f 420 1 1 -'],
  ])('is rejected: %s', (_what, ...fields) => {
    expect(read(...fields)).toBe('the list of changes can’t be read');
  });
});

describe('a hostile host’s answer about a trial', () => {
  const opened = { cwd: '/srv/app', tree: '/srv/app' };
  const trialsOf = (launch: (args: readonly string[]) => FarWork, asked: { text: string; exit: number } = ok('')) => {
    const calls: (readonly string[])[] = [];
    const disk = new FarTrialDisk({
      host: 'web1',
      directory: '/store',
      ask: (code) =>
        Promise.resolve(code.includes('trial.json') ? ok('7\n') : code.includes('/notes') ? asked : ok('')),
      work: () => Promise.resolve(ok('')),
      launch: (args) => {
        calls.push(args);
        return Promise.resolve(launch(args));
      },
      probe: () => Promise.resolve(undefined),
      directoryOf: (place) => place,
      treeOf: () => Promise.resolve(opened),
    });
    const trials = new TrialStore({
      disk,
      spaceBytes: 1,
      session: 's',
      now: () => 1,
      hide: (text) => text,
      run: () => Promise.reject(new Error('not run')),
      rollBack: () => Promise.resolve('rolled back'),
    });
    return { trials, calls };
  };
  const outcomeOf = async (output: string, asked?: { text: string; exit: number }, error = '') => {
    const { trials } = trialsOf(() => ({ code: error === '' ? 0 : 126, output, error }), asked);
    return (await trials.open('rm -rf build', '/srv/app', 'unrestricted')).outcome({ kind: 'exited', code: 0 }, '');
  };

  it('that is endless or empty counts as unknown', async () => {
    const line = `D f 420 1 1 -\0/srv/app/${'x'.repeat(2000)}\0`;
    expect(await outcomeOf(line.repeat(8_000))).toMatchObject({ why: 'it would change more than can be listed' });
    expect(await outcomeOf('', undefined, '\u001b]0;owned\u0007no')).toEqual({
      kind: 'cannotTell',
      why: expect.not.stringMatching(/[\u001b\u0007]/),
      exitCode: 0,
    });
  });

  it('with unreadable notes counts as unknown, and readable ones are shown escaped', async () => {
    expect(await outcomeOf('', { text: '', exit: 1 })).toMatchObject({ kind: 'cannotTell' });
    const told = await outcomeOf('', ok('refused /x\u001b[2J\0'));
    expect(told).toMatchObject({ kind: 'changes', doubts: [expect.not.stringContaining('\u001b')] });
  });

  it('without a known end of its apply leads to neither removal nor a second apply', async () => {
    const { trials, calls } = trialsOf(([word]) =>
      word === '--apply'
        ? { code: 126, output: '', error: 'web1 does not answer', lost: true }
        : { code: 0, output: '', error: '' },
    );
    const told = await (await trials.open('true', '/srv/app', 'unrestricted')).outcome({ kind: 'exited', code: 0 }, '');
    if (told.kind !== 'changes') throw new Error(told.why);
    const { ok: done, text } = await trials.apply(told.id, told.digest);
    expect([done, text]).toEqual([
      false,
      expect.stringMatching(/^web1 does not answer; .*the apply is finished or undone as a whole/),
    ]);
    expect((await trials.apply(told.id, told.digest)).text).toBe('this trial no longer exists');
    expect(calls.filter(([word]) => word === '--apply')).toHaveLength(1);
  });
});

function ok(text: string) {
  return { exit: 0, text };
}
