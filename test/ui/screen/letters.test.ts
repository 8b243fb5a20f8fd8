import { expect, test } from 'vitest';
import type { Judgement } from '../../../src/session/action.ts';
import type { Question } from '../../../src/session/question.ts';
import { wordsOf } from '../../../src/ui/screen/halt/words.ts';
import { deadly, harmless, triedAs, triedToNothing } from '../../support/machine.ts';

const id = { id: 'q1', session: 'main' } as const;
const halt = (judgement: Judgement, more: object = {}): Question => ({
  ...id,
  kind: 'halt',
  action: { kind: 'command', command: 'ls', job: false },
  judgement,
  why: judgement.destructive ? 'destructive' : 'consent',
  cwd: '/work',
  mode: 'unrestricted',
  ...more,
});
const tool = { action: { kind: 'tool', name: 'fs__write', arguments: '{}', callId: 'c' } };
const facts = { tool: { definition: 'd', claims: [], changed: false } };

const QUESTIONS: Readonly<Record<string, Question>> = {
  HALT: halt(deadly, { canTry: true, offers: ['project', 'unrestricted'] }),
  tried: halt(deadly, { canTry: true, trial: triedAs('t1') }),
  consent: halt(harmless),
  'a reading': halt({ ...harmless, looks: true }),
  'a tool': halt(harmless, { ...tool, ...facts }),
  escalation: { ...id, kind: 'escalation', skips: 3 },
  spending: { ...id, kind: 'spend', preset: 'deep', spent: 1, limit: 1, allowance: 1 },
  mode: {
    ...id,
    kind: 'mode',
    reason: 'to write',
    from: 'restricted',
    offers: ['project', 'unrestricted'],
    cwd: '/work',
  },
  'set aside': { ...id, kind: 'review', review: 'r', about: 'later', command: 'x', items: ['.envrc'], diff: '' },
  'no room': { ...id, kind: 'review', review: 'r', about: 'room', command: 'x', items: [], diff: '' },
  form: { ...id, kind: 'form', form: 'f', server: 's', message: 'm', fields: [] },
};

/** The meaning of each letter wherever it is offered; `y` and `n` are yes and no to a mode and to more spending. */
const LETTERS: Readonly<Record<string, string>> = {
  s: 'skip',
  n: 'note',
  e: 'edit',
  t: 'try',
  T: 'apply',
  p: 'proceed',
  P: 'always',
  a: 'abort',
  u: 'unrestricted',
};
const YES_OR_NO: Readonly<Record<string, string>> = {
  'mode y': 'proceed',
  'mode n': 'skip',
  'spending y': 'proceed',
  'spending n': 'abort',
};

test.each(Object.keys(QUESTIONS))('the answer letters of %s have the same meaning everywhere', (name) => {
  const question = QUESTIONS[name];
  const { choices } = wordsOf(question as Question);
  expect(choices.length).toBeGreaterThan(1);
  for (const { key, answer } of choices)
    expect([name, key, answer]).toEqual([name, key, YES_OR_NO[`${name} ${key}`] ?? LETTERS[key]]);
  expect(new Set(choices.map(({ key }) => key)).size).toBe(choices.length);
});

test('a consent for the session is offered for a tool and for read-only commands, never for anything else', () => {
  const offered = Object.entries(QUESTIONS).flatMap(([name, question]) =>
    wordsOf(question).choices.some(({ key }) => key === 'P') ? [name] : [],
  );
  expect(offered).toEqual(['a reading', 'a tool']);
});

test('a trial’s changes can be applied, unless there are none', () => {
  const answers = (trial: object) => wordsOf(halt(deadly, { canTry: true, trial })).choices.map(({ answer }) => answer);
  expect(answers(triedAs('t1'))).toContain('apply');
  expect(answers(triedToNothing('t1'))).not.toContain('apply');
});
