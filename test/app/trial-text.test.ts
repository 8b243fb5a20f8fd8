/** The text of `aish-tui try` below a command's own output: first that nothing was changed, then the losses. */
import { describe, expect, it } from 'vitest';
import { asJson, trialText, withUnstarted } from '../../src/cli/try.ts';

import type { TrialChange, TrialOutcome } from '../../src/contracts/trials.ts';

const change = (kind: TrialChange['kind'], path: string, more: Partial<TrialChange> = {}): TrialChange => ({
  kind,
  path,
  type: 'file',
  bytes: 1800,
  mode: 0o644,
  shared: false,
  ...more,
});

function said(changes: readonly TrialChange[], more: Partial<Extract<TrialOutcome, { kind: 'changes' }>> = {}) {
  const outcome: TrialOutcome = {
    kind: 'changes',
    id: '1',
    exitCode: 0,
    changes,
    deletedBytes: 0,
    writtenBytes: 0,
    digest: '',
    doubts: [],
    outside: [],
    ...more,
  };
  return trialText(outcome, '/p').split('\n');
}

describe('the text of a trial', () => {
  it('says first that nothing was changed, then lists losses by paths relative to the directory', () => {
    expect(
      said([
        change('created', '/p/new\n  delete forged', { bytes: 3 }),
        change('mode', '/p', { type: 'directory' }),
        change('changed', '/p/src/a'),
        change('deleted', '/p/src/b\u001b[2J'),
        change('deleted', '/tmp/c', { type: 'directory', shared: false }),
      ]),
    ).toEqual([
      'aish-tui: only tried, nothing was changed. For real it would change this (2 deleted, 1 changed, 1 with another mode or time, 1 created):',
      '  delete src/b⟨U+001B⟩[2J (1.8 kB)',
      '  delete /tmp/c/',
      '  change src/a (1.8 kB)',
      '  set mode, owner, times or attributes of ./',
      '  create new⟨U+000A⟩  delete forged (3 bytes)',
      '',
    ]);
  });

  it('only counts git’s internal files, but lists its configuration and branches', () => {
    expect(
      said([
        change('created', '/p/.git/objects/ab', { type: 'directory' }),
        change('changed', '/p/.git/index'),
        change('deleted', '/p/.git/config'),
        change('changed', '/p/.git/refs/heads/main', { bytes: 41 }),
      ]).slice(1, -1),
    ).toEqual([
      '  delete .git/config (1.8 kB)',
      '  change .git/refs/heads/main (41 bytes)',
      "  and git's own bookkeeping: 1 changed, 1 created",
    ]);
  });

  it('reports how a failing command ended, what was refused, and that nothing would change', () => {
    expect(said([], { exitCode: 6, doubts: ['it was refused'] })).toEqual([
      'aish-tui: only tried, nothing was changed. For real it would change nothing here',
      'the command ended with 6; a trial has no network and no sockets',
      'but: it was refused',
      '',
    ]);
    expect(said(Array.from({ length: 203 }, (_, i) => change('deleted', `/p/${i}`))).at(-2)).toBe('  … and 3 more');
    expect(trialText({ kind: 'cannotTell', why: 'why' }, '/p')).toBe("aish-tui: the trial can't tell: why\n");
  });

  it('says that a command that can’t start would change nothing, with a shell’s exit code', () => {
    const unstarted = (why: string) => withUnstarted({ kind: 'cannotTell', why });
    const text = trialText(unstarted('exec: nosuch: No such file or directory'), '/p');
    expect(text).toContain('For real it would change nothing here\nthe command ended with 127;');
    expect(text).toContain('\nbut: nosuch: command not found\n');
    expect(unstarted('exec: ./a: Permission denied')).toMatchObject({ kind: 'changes', exitCode: 126, changes: [] });
    expect(unstarted('mounts: Permission denied')).toMatchObject({ kind: 'cannotTell' });
  });

  it('escapes in JSON the bytes of a name that are not UTF-8', () => {
    const outcome = {
      ...withUnstarted({ kind: 'cannotTell', why: 'exec: a: Permission denied' }),
      changes: [change('created', '/p/f\udce9')],
    } as TrialOutcome;
    expect(asJson(outcome)).toMatchObject({ changes: [{ path: '/p/f⟨xE9⟩' }] });
  });
});
