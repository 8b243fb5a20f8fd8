/** The parser bounds and checks a hostile host's report about a trial, and drops what was not asked for. */
import { describe, expect, it } from 'vitest';
import { diskThere } from '../../../src/effects/undo/disk.ts';
import type { Worked } from '../../../src/effects/undo/launcher.ts';
import { ChangeStore } from '../../../src/effects/undo/store.ts';
import { readChanges, TrialStore } from '../../../src/effects/undo/trials.ts';

const trees = ['/srv/app', '/tmp'];
const read = (...fields: readonly string[]) =>
  readChanges(fields.map((field) => `${field}\0`).join(''), [], { directory: '/store/1', trees });

describe('the list of a trial', () => {
  it('contains only paths inside the trees of the trial', () => {
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
  const trialsOf = (launch: (args: readonly string[]) => Worked, notes = ok('note\x007\x00\x00')) => {
    const calls: (readonly string[])[] = [];
    const disk = diskThere({
      ...{ host: 'web1', directory: '/store', whyNothingKept: () => Promise.resolve(undefined) },
      ask: () => Promise.resolve(undefined),
      run(args) {
        calls.push(args);
        const [word] = args;
        return Promise.resolve(
          word === '--open' ? ok('opened\x007\x00\x00') : word === '--records' ? notes : launch(args),
        );
      },
    });
    const trials = new TrialStore({
      disk,
      probe: () => Promise.resolve(undefined),
      viewOf: () => Promise.resolve({ cwd: '/srv/app', tree: '/srv/app', free: [] }),
      spaceBytes: 1,
      session: 's',
      now: () => 1,
      hide: (text) => text,
      run: () => Promise.reject(new Error('not run')),
      rollBack: () => Promise.resolve('rolled back'),
    });
    return { trials, calls };
  };
  const outcomeOf = async (output: string, notes?: Worked, error = '') => {
    const { trials } = trialsOf(() => ({ code: error === '' ? 0 : 126, output, error }), notes);
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
    expect(await outcomeOf('', { code: 1, output: '', error: '' })).toMatchObject({ kind: 'cannotTell' });
    const told = await outcomeOf('', ok('note\x007\x00refused /x\u001b[2J\0'));
    expect(told).toMatchObject({ kind: 'changes', doubts: [expect.not.stringContaining('\u001b')] });
  });

  it('that does not say whether the apply ended leads to neither removal nor a second apply', async () => {
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

describe('a host that stops answering', () => {
  const lost: Worked = { code: 126, output: '', error: 'web1 does not answer', lost: true };
  const opening = JSON.stringify({
    ...{ kind: 'command', text: 'make', cwd: '/', session: 's', at: 1 },
    applied: true,
  });
  const record = ok(`action\x007\x00${opening}\x00summary\x007\x00touched 1\x00`);

  /** A store there; `answers` are those to the launcher's words, by which the host is lost where there is none. */
  const storeWith = (answers: Readonly<Record<string, Worked>>) => {
    const calls: string[] = [];
    const disk = diskThere({
      ...{ host: 'web1', directory: '/store', whyNothingKept: () => Promise.resolve(undefined) },
      ask: () => Promise.resolve(undefined),
      run: ([word = '']) => {
        calls.push(word);
        return Promise.resolve(answers[word] ?? lost);
      },
    });
    const store = new ChangeStore({
      ...{ disk, session: 's', budgetBytes: 1, maxFileBytes: 1, days: 7, run: () => undefined, now: () => 2 },
      ...{ hide: (text: string) => text, warn: () => {} },
    });
    return { store, calls };
  };

  it('leaves the outcome of a roll-back unknown, at whatever step the host stopped', async () => {
    expect(await storeWith({}).store.rollBack(7)).toBe('web1 does not answer');
    expect(await storeWith({ '--records': record }).store.rollBack(7)).toBe(
      'web1 could not create the directory for the undo',
    );
    const open = ok('opened\x008\x00\x00');
    expect(await storeWith({ '--records': record, '--open': open }).store.rollBack(7)).toBe('web1 does not answer');
    // Taken back, but nobody knows whether its record is gone.
    const undo = ok('');
    expect(await storeWith({ '--records': record, '--open': open, '--undo': undo }).store.rollBack(7)).toBe(
      'web1 does not answer',
    );
    expect(await storeWith({ '--records': ok('') }).store.rollBack(7)).toBeUndefined();
  });

  it('leaves the outcome of an undo unknown, and the recorded actions in place', async () => {
    const { store, calls } = storeWith({ '--records': record, '--open': ok('opened\x008\x00\x00') });
    expect(await store.undo(7)).toEqual({
      ok: false,
      text: expect.stringMatching(/^it is not known whether this was undone: 7 · make .*\(web1 does not answer\)$/),
    });
    expect(calls).not.toContain('--drop');
    for (const told of [storeWith({}).store.undo(7), storeWith({}).store.forget('all')])
      expect(await told).toEqual({ ok: false, text: 'not done: web1 does not answer' });
    await expect(storeWith({}).store.list()).rejects.toThrow('web1 does not answer');
  });
});

function ok(text: string): Worked {
  return { code: 0, output: text, error: '' };
}
