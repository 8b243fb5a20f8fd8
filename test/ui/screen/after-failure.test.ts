import { expect, it } from 'vitest';
import type { App } from '../../../src/commands/app.ts';
import type { SessionEvent } from '../../../src/session/event.ts';
import { AfterFailure } from '../../../src/ui/screen/recall.ts';

/** Returns the command offered after a line for which the shell printed this, with exit code 127. */
function offered(line: string, said: string): string {
  const app = { words: { nearest: (word: string) => ({ ech: 'echo', gti: 'git' })[word] } };
  const after = new AfterFailure(app as unknown as App, () => {});
  after.follow({ type: 'shellStarted', op: 'o1', line, private: false } as unknown as SessionEvent, 'Alt-A');
  const result = { exit: 127, head: said, tail: '' };
  after.follow({ type: 'shellEnded', op: 'o1', result } as unknown as SessionEvent, 'Alt-A');
  return after.line;
}

it.each([
  ['gti status', 'bash: gti: command not found', 'git status'],
  ['gti status', 'zsh: command not found: gti', 'git status'],
  ['gti status', 'fish: Unknown command: gti', 'git status'],
  ['gti status', 'sh: 1: gti: not found', 'git status'],
  ['gti status', 'bash: gti: Kommando nicht gefunden.', 'git status'],
  ['cd src && gti status', 'bash: gti: command not found', 'cd src && git status'],
  ['echo gti; (gti log)', 'bash: gti: command not found', 'echo gti; (git log)'],
])('for %j with the message %j the program offers %j', (line, said, wanted) => {
  expect(offered(line, said)).toBe(wanted);
});

it('a correction is offered only until the next key', () => {
  const app = { words: { nearest: () => 'git' } };
  const after = new AfterFailure(app as unknown as App, () => {});
  after.follow({ type: 'shellStarted', op: 'o1', line: 'gti', private: false } as unknown as SessionEvent, 'Alt-A');
  const result = { exit: 127, head: 'bash: gti: command not found', tail: '' };
  after.follow({ type: 'shellEnded', op: 'o1', result } as unknown as SessionEvent, 'Alt-A');
  expect([after.line, after.dropCorrection(), after.line, after.dropCorrection()]).toEqual(['git', true, '', false]);
  expect(after.question).toContain('`gti` failed');
});

it.each([
  ['ech() { :; }; foo', 'bash: foo: command not found'],
  ['ech() { nope; }; ech', 'bash: nope: command not found'],
  ['./run.sh', './run.sh: line 3: gti: command not found'],
  ['cd src && ech', ''],
])('for %j with the message %j the program offers nothing', (line, said) => {
  expect(offered(line, said)).toBe('');
});
