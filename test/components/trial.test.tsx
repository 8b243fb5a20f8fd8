import { describe, expect, it } from 'vitest';
import type { TrialOutcome, Trials } from '../../src/contracts/trials.ts';
import { questionLines } from '../../src/ui/plain/plain.ts';
import { THEMES } from '../../src/ui/render/theme.ts';
import { FakeCommand } from './fake-command.ts';
import { type Stage, setStage } from './stage.tsx';

const CHANGES: TrialOutcome = {
  kind: 'changes',
  id: 't1',
  exitCode: 0,
  changes: [
    { path: '/home/me/build', kind: 'deleted', type: 'directory', bytes: 1_800_000, mode: 0o755, shared: false },
    { path: '/home/me/package.json', kind: 'changed', type: 'file', bytes: 612, mode: 0o644, shared: false },
    { path: '/home/me/evil\x1b[2Jname', kind: 'created', type: 'file', bytes: 3, mode: 0o644, shared: false },
  ],
  deletedBytes: 1_800_000,
  writtenBytes: 615,
  digest: 'd1',
  doubts: ['a lock was refused'],
  outside: [],
};
const DIFF = `--- package.json\n+++ package.json\n@@ -1,3 +1,3 @@\n {\n-  "version": "1.4.2",\n+  "version": "1.5.0",\n }`;

function trials(log: string[], outcome: TrialOutcome = CHANGES): Trials {
  return {
    unavailable: async () => undefined,
    start: async (command) => {
      log.push(`tried ${command}`);
      const running = new FakeCommand();
      running.end();
      return { command: running, outcome: Promise.resolve(outcome) };
    },
    diff: async () => DIFF,
    apply: async (id, digest) => {
      log.push(`applied ${id} ${digest}`);
      return { ok: true, text: 'applied: 1 deleted', action: 4 };
    },
    discard: async (id) => void log.push(`discarded ${id}`),
    discardAbandoned: async () => {},
  };
}

async function tried(
  log: string[],
  size: { columns?: number; rows?: number; theme?: typeof THEMES.none } = {},
  outcome?: TrialOutcome,
): Promise<Stage> {
  const stage = await setStage({ theme: THEMES.none, ...size, trials: trials(log, outcome) });
  stage.press(':norris tidy up\r');
  await stage.until(() => stage.calls.length === 1);
  stage.calls[0]?.say('CMD: rm -rf build && npm version minor');
  stage.calls[0]?.end();
  await stage.until(() => stage.engine.state.questions.length === 1);
  await stage.see(/\(t\)/);
  await stage.arm();
  await stage.until(() => stage.screen.ui.get().question?.armed === true);
  stage.answer('t');
  await stage.until(() => stage.engine.state.questions.some((question) => 'trial' in question));
  await stage.see(/HALT\W+tried/);
  await stage.arm();
  return stage;
}

const kinds = (stage: Stage) => stage.engine.conversation.phase.kind;

describe('a HALT after its trial', () => {
  it('lists the changes, losses first, with nothing deceptive in a name', async () => {
    const log: string[] = [];
    const { frame } = await tried(log, { columns: 100, rows: 40 });
    expect(frame()).toContain('1 deleted · 1 changed · 1 created');
    const rows = frame().split('\n');
    const at = (text: string) => rows.findIndex((row) => row.includes(text));
    expect(frame()).toMatch(/deletes {4}build\/ +1\.8 MB/);
    expect(at('changes    package.json')).toBeGreaterThan(at('deletes    build/'));
    expect(at('creates    evil⟨U+001B⟩[2Jname')).toBeGreaterThan(at('changes    package.json'));
    expect(frame()).toMatch(/2 \+ {3}"version": "1\.5\.0",/);
    expect(frame()).toContain('a lock was refused');
    expect(frame()).toMatch(/s\W+skip.*T\W+apply.*p\W+proceed/);
    expect(log).toEqual(['tried rm -rf build && npm version minor']);
  });

  it('counts only the kinds of change that occur', async () => {
    const changes = CHANGES.kind === 'changes' ? CHANGES.changes.filter(({ kind }) => kind === 'deleted') : [];
    const { frame } = await tried([], { columns: 100, rows: 40 }, { ...CHANGES, changes } as TrialOutcome);
    expect(frame()).toMatch(/It would change: 1 deleted\./);
  });

  it('says that the command failed in the trial', async () => {
    const { frame } = await tried([], { columns: 100, rows: 40 }, { ...CHANGES, exitCode: 128 } as TrialOutcome);
    expect(frame()).toContain('it failed: exit 128 · no network');
  });

  it('applies the trial’s changes with the key T, and only then', async () => {
    const log: string[] = [];
    const stage = await tried(log, { columns: 100, rows: 40 });
    stage.answer('t');
    expect(kinds(stage)).toBe('halted');
    stage.answer('T');
    await stage.until(() => log.length === 2);
    expect(log[1]).toBe('applied t1 d1');
    await stage.see('applied: 1 deleted · :undo 4');
    expect(stage.commands).toHaveLength(0);
  });

  it('can’t be applied when a real run would also write outside the trial’s copy', async () => {
    const { frame } = await tried([], { columns: 100, rows: 40 }, { ...CHANGES, outside: ['/home/me/.rc'] } as never);
    expect(frame()).toContain('can’t be applied: a real run would also write /home/me/.rc, which a trial can’t');
    expect(frame()).not.toMatch(/T\W+apply/);
  });

  it('shows the diff with d, runs nothing from there, and returns to the list', async () => {
    const log: string[] = [];
    const stage = await tried(log, { columns: 100, rows: 40 });
    stage.press('d');
    await stage.see('d: back to the list');
    stage.answer('T');
    stage.answer('p');
    expect(kinds(stage)).toBe('halted');
    stage.press('d');
    await stage.see('deletes    build/');
    stage.answer('s');
    await stage.until(() => log.includes('discarded t1'));
  });

  it('accepts answers in a small window only after all of the list was shown', async () => {
    const log: string[] = [];
    const stage = await tried(log, { columns: 40, rows: 10 });
    stage.answer('T');
    expect(kinds(stage)).toBe('halted');
    expect(log).toHaveLength(1);
    for (let line = 0; line < 20; line += 1) {
      stage.press('j');
      await stage.see(/HALT\W+tried/);
    }
    await stage.see(/\(T\) apply/);
  });

  it('breaks its rows in a small window only at blanks', async () => {
    const stage = await tried([], { columns: 40, rows: 30 });
    await stage.see('no network, signals or');
    expect(stage.frame()).toMatch(/┆ exit 0 · no network, signals or +│\n│ ┆ +sockets in a trial/);
    expect(stage.frame()).toMatch(/┆ deletes {4}build\/ +1\.8 MB|┆ +1\.8 MB/);
  });

  it('offers no apply when the trial could not find out what would change, and says why', async () => {
    const log: string[] = [];
    const stage = await tried(
      log,
      { columns: 100, rows: 30 },
      { kind: 'cannotTell', why: 'a mount point lies below /home/me' },
    );
    await stage.see('the trial can’t tell: a mount point lies below /home/me');
    expect(stage.frame()).not.toMatch(/T\W+apply/);
  });

  it('on the plain screen is numbered sentences, with try and apply as words', async () => {
    const log: string[] = [];
    const stage = await tried(log);
    const [question] = stage.engine.state.questions;
    const lines = question ? questionLines(question) : [];
    expect(lines).toContainEqual(expect.stringMatching(/^1\. deletes build\/ +1\.8 MB\.$/));
    expect(lines.at(-1)).toBe('Answer with a letter: s skip, T apply, p proceed, a abort.');
  });
});
