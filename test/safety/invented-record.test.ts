import { afterAll, expect, test, vi } from 'vitest';
import type { Records, Spec } from '../../src/safety/programs/record.ts';

/** The complete knowledge about a made-up program: one record. */
const frob: Spec = {
  family: 'files',
  findings: [
    {
      name: 'frob empty',
      kept: true,
      shapes: ['empty +'],
      reason: 'empties a store',
    },
  ],
  global: true,
  tune: '-v --store=',
  wraps: { sub: 'with' },
  traits: ['sends'],
  reaches: 'show',
  output: { counts: /^count$/, gives: 'decoded' },
  control: /(^|\/)frob\.conf$/,
  subs: {
    'show count': { operands: 'read' },
    empty: { dry: '--rehearse', operands: 'delete' },
    save: { write: '-o=', operands: 'read' },
    with: { stopsAtOperand: true, operands: 'command' },
  },
};

// Loads the gate with that record, and later without it again, for the test files that share this process.
const UNREAD_ROWS = '../../src/safety/programs/records/shell.ts';
vi.resetModules();
vi.doMock(UNREAD_ROWS, async (original) => {
  const rows = await original<{ UNREAD: Records }>();
  return { ...rows, UNREAD: { ...rows.UNREAD, frob } };
});
const { judgeCommand, listRules } = await import('../../src/safety/index.ts');
const { recoveryOf } = await import('../../src/safety/recoverable.ts');
const { safetyPage } = await import('../../docs/generate/safety.ts');
afterAll(() => {
  vi.doUnmock(UNREAD_ROWS);
  vi.resetModules();
});

const judged = (command: string) => {
  const { verdict, rule, reason } = judgeCommand(command);
  return rule === undefined ? [verdict, reason] : [verdict, rule];
};

test.each([
  ['the roles in a record prove a call safe', 'frob show -v a', ['safe', 'obeys unread files of this project']],
  [
    'an option missing from a record is unknown',
    'frob show --odd a',
    ['unknown', 'option --odd of frob show is not known'],
  ],
  ['the findings in a record are rules', 'frob empty a', ['destructive', 'frob empty']],
  [
    'a record’s findings apply behind options that take a value',
    'frob --store x empty a',
    ['destructive', 'frob empty'],
  ],
  [
    'a record’s dry-run option removes its findings',
    'frob empty --rehearse a',
    ['safe', 'obeys unread files of this project'],
  ],
  ['what it writes is an output', 'frob save -o Makefile a', ['destructive', 'output over a file']],
  ['the command in it is judged', 'frob with rm -rf x', ['destructive', 'rm -rf']],
  ['and so is a harmless one', 'frob with ls', ['safe', 'obeys unread files of this project']],
  ['a key that it is given leaves', 'frob show ~/.ssh/id_rsa', ['destructive', 'credential leaves']],
  ['its words go to another machine', 'frob show "$(cat a)"', ['unknown', 'frob: sends unknown parts']],
  ['a file it obeys taints it', 'echo x >> frob.conf; frob show a', ['unknown', expect.stringContaining('frob.conf')]],
  ['what it prints is a number', 'head -n $(frob count) a', ['safe', 'obeys unread files of this project']],
  ['or nobody can read it', 'frob show a | sh', ['destructive', 'decoded code']],
])('%s: %s', (_, command, expected) => expect(judged(command)).toEqual(expected));

test('a record’s finding appears in docs/safety.md and in the list of rules', () => {
  expect(safetyPage()).toContain('| frob empty | empties a store |');
  expect(safetyPage()).toMatch(/`frob`/);
  expect(listRules()).toContainEqual({ name: 'frob empty', family: 'files', reason: 'empties a store' });
});

test('a finding that a record marks as remote can’t be undone', async () => {
  const place = { cwd: '/nowhere/tree', tree: '/nowhere/tree' };
  const needs = await recoveryOf('frob empty a', judgeCommand('frob empty a'), place);
  expect(needs.findings.map(({ rule, undoable }) => [rule, undoable])).toEqual([['frob empty', false]]);
});
