/** The form of commit subjects, `area: do something`, for every commit after the one that added this file. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { ROOT } from './blocks.ts';

const MAX_LENGTH = 72;
const AREAS_AND_WORD = /^[a-z][\w./-]*(?:, [a-z][\w./-]*)*: ([a-z][\w-]*)\b/;
const NO_VERB = /^(?:an?|the|its?|they|what|who|that|there|this|these|no|one|each|every|is|are)$/;
const OTHER_FORM = /(?<![su])s$|(?<!^(?:ne|fe|se|spe|emb))ed$|(?<!^br)ing$/;

/** Returns the mistake in a subject; undefined if there is none. */
function mistakeOf(subject: string): string | undefined {
  if (subject.length > MAX_LENGTH) return `longer than ${MAX_LENGTH} characters`;
  const [, word] = AREAS_AND_WORD.exec(subject) ?? [];
  if (word === undefined) return 'not `area: do something`';
  return NO_VERB.test(word) || OTHER_FORM.test(word) ? `“${word}” is not an imperative` : undefined;
}

it.each([
  'undo: keep edits made during an apply',
  'gate, docs: name six commands',
  'docs/hosts: need no launcher',
  'release: pass the version on',
])('the commit check accepts the subject “%s”', (subject) => {
  expect(mistakeOf(subject)).toBeUndefined();
});

it.each([
  'A promise is returned as it is',
  'Undo: keep edits',
  'undo: keeps edits',
  'undo: kept files are named, and so is everything else that was looked at before',
  'undo: fixed a race',
  'undo: fixing a race',
  'undo: the store is whole',
])('the commit check rejects the subject “%s”', (subject) => {
  expect(mistakeOf(subject)).toBeDefined();
});

/** The output of git in this repository; undefined where git fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

describe.skipIf(lacks('git'))('the subjects of new commits', () => {
  it('have the form of CONTRIBUTING.md', (context) => {
    if (git('rev-parse', '--is-shallow-repository') !== 'false') {
      console.log('skipped: this is no clone with a history');
      return context.skip();
    }
    const first = git('log', '--diff-filter=A', '--format=%H', '-1', '--', 'test/docs/commits.test.ts');
    if (first === undefined || first === '') return context.skip('the file is not committed yet');
    const subjects = git('log', '--no-merges', '--format=%s', `${first}..HEAD`)?.split('\n') ?? [];
    const wrong = subjects.filter((subject) => subject !== '' && mistakeOf(subject) !== undefined);
    expect(wrong).toEqual([]);
  });
});
