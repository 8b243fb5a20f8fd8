import { expect, it } from 'vitest';
import type { KeptAction } from '../../src/contracts/undo.ts';
import { type Stage, setStage } from './stage.tsx';

const kept: KeptAction = {
  number: 1,
  kind: 'command',
  text: 'make',
  cwd: '/home/me',
  session: 's1',
  run: 'r1',
  at: 0,
  state: 'ended',
  created: 2,
  deleted: 1,
  changed: 3,
  moved: 0,
  bytes: 10,
  complete: true,
  notes: [],
};

async function ended(actions: (now: number) => readonly KeptAction[]): Promise<Stage> {
  const stage = await setStage({ columns: 100, kept: actions });
  stage.press(':norris tidy up\r');
  await stage.until(() => stage.calls.length === 1);
  stage.calls[0]?.say('GOAL: complete');
  stage.calls[0]?.end();
  await stage.see('⚡ done');
  return stage;
}

it('a run that changed files says so at its end, with the way back', async () => {
  const stage = await ended((now) => [{ ...kept, at: now }]);
  await stage.see(/the run: 3 files changed, 1 deleted, 2 created · :undo run shows it, :undo run yes takes it back/);
});

it('says nothing of what other sessions or earlier runs changed', async () => {
  const others = (now: number) => [
    { ...kept, at: now, session: 'another' },
    { ...kept, at: -1 },
  ];
  const stage = await ended(others);
  stage.press('echo on\r');
  await stage.see('echo on');
  expect(stage.frame()).not.toContain('the run:');
});
