import { describe, expect, it } from 'vitest';
import { judgeCommand } from '../../src/safety/judge.ts';
import { onlyReads } from '../../src/safety/only-reads.ts';

const reads = (command: string) => onlyReads(command, { cwd: '/nowhere' });

describe('a command only reads', () => {
  it.each([
    'ls -la',
    'cat a | grep b | wc -l',
    'find . -name "*.py" -mtime -7 | wc -l',
    'ls missing 2>/dev/null',
    'git log --oneline -5 && git diff HEAD~1',
    'for f in *.py; do wc -l "$f"; done',
    'echo "$(pwd)"',
    'diff <(ls a) <(ls b)',
    'cat < list',
  ])('%s', (command) => {
    expect(reads(command)).toBe(true);
  });
});

describe('a command does or may do more than read', () => {
  it.each([
    ['it adds', 'mkdir d'],
    ['it adds', 'touch f'],
    ['it writes', 'ls > out'],
    ['it writes', 'echo hi >> out'],
    ['it writes', 'sort -o b a'],
    ['it writes', 'git diff --output=x'],
    ['it writes in a process substitution', 'cat a > >(tee b)'],
    ['it writes in a substitution', 'echo $(mkdir d)'],
    ['it writes in a function', 'f() { mkdir d; }; f'],
    ['it runs others', 'find . -exec mkdir {} \\;'],
    ['it runs a file of the project', 'make test'],
    ['it runs code', 'python3 x.py'],
    ['it moves the agent', 'cd sub && ls'],
    ['it moves the agent', 'pushd sub'],
    ['it refreshes the index', 'git status'],
    ['a variable says what a reader runs', 'PAGER=x git log'],
    ['nobody knows what it is', '$CMD file'],
    ['it is no command', ''],
  ])('%s: %s', (_, command) => {
    expect(reads(command)).toBe(false);
  });

  it('does more than read if the gate judges it destructive', () => {
    for (const command of ['cat a; rm -rf b', 'ls | xargs rm', 'date -s 2020-01-01']) {
      expect(judgeCommand(command).verdict === 'safe' && reads(command)).toBe(false);
    }
  });
});
