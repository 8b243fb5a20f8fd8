import { describe, expect, it } from 'vitest';
import { NestedMarks } from '../../src/executor/shell-integration/marks.ts';

function after(...marks: readonly string[]) {
  const nested = new NestedMarks();
  for (const mark of marks) nested.take(mark);
  return nested.state;
}

describe('the marks of a shell within a command', () => {
  it.each([
    ['nothing', [], undefined],
    ['a first prompt, which ends nothing', ['D;1', 'A', 'B'], { busy: false }],
    ['a command that runs', ['A', 'B', 'C;cmdline=ls'], { busy: true }],
    ['a finished command with its exit code', ['A', 'B', 'C', 'D;2;err=x', 'A;k=s', 'B'], { busy: false, exit: 2 }],
    ['a finished command without a mark for its end', ['A', 'C', 'D', 'A'], { busy: false }],
    ['an invalid exit code', ['C', 'D;\x1b[2J'], { busy: false }],
    ['others', ['P;k=i', 'L', ''], undefined],
  ])('report %s', (_what, marks, state) => {
    expect(after(...marks)).toEqual(state);
  });
});
