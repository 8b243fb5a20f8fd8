/** Permits: what a yes in a wider mode covers (HA-6, SF-13). */
import { expect, it } from 'vitest';
import type { Targets } from '../../src/contracts/gate.ts';
import { Permits } from '../../src/engine/permit.ts';
import type { ReadyAction } from '../../src/engine/resolved-action.ts';
import type { Judgement } from '../../src/session/action.ts';
import type { Mode } from '../../src/session/ids.ts';
import { deadly } from '../support/machine.ts';

const told = { kind: 'command', command: 'rm -rf src', job: false } as const;
const ready: ReadyAction = { kind: 'ready', told, judged: told, runs: told, env: {}, origin: 'model' };
const targets = (inode: string): Targets => ({ command: told.command, cwd: '/work', found: [inode] });
const what = (mode: Mode) => ({ session: 'main', action: told, cwd: '/work', mode });

/** A command judged in Restricted and approved for Project, then judged there again with `judgement`. */
function approvedInProject(judgement: Judgement) {
  const permits = new Permits();
  const judge = (op: string, mode: Mode, as: Judgement, inode: string) =>
    permits.grant(
      { kind: 'examine', op, goal: '', ...what(mode) },
      { kind: 'judged', judgement: as, autoApproved: false },
      ready,
      { reads: [], own: [], writes: [], targets: targets(inode) },
    );
  judge('op1', 'restricted', deadly, 'as the user saw it');
  permits.promise(what('project'), deadly, 'op1');
  judge('op2', 'project', judgement, 'as it is now');
  const approval = { userApproved: true, judgement } as const;
  return permits.consume({ kind: 'act', op: 'op3', judgedAs: 'op2', ...approval, ...what('project') });
}

it('a yes in a wider mode is bound to the targets that the user saw', () => {
  expect(approvedInProject(deadly)?.basis?.targets).toEqual(targets('as the user saw it'));
});

it('a yes in a wider mode does not cover a finding worse than the one shown', () => {
  const worse = { ...deadly, findings: [{ rule: 'dd to device', verb: 'overwrites a disk', part: [0, 2] as const }] };
  expect(approvedInProject(worse)).toBeUndefined();
});
