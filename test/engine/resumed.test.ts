/** The mark in the transcript where a session was resumed. */
import { expect, it } from 'vitest';
import { Transcript } from '../../src/engine/transcript.ts';
import type { Entry } from '../../src/session/entry.ts';

const asked: Entry = { kind: 'user', text: 'why', queued: false };
const told: Entry = { kind: 'notice', level: 'info', text: 'no Project mode here' };

function transcriptOf(...entries: readonly (Entry | number)[]): readonly string[] {
  const transcript = new Transcript();
  for (const [at, each] of entries.entries()) {
    const entry = typeof each === 'number' ? ({ kind: 'resumed', at: each } as const) : each;
    transcript.apply({ kind: 'show', key: `k${at}`, entry });
  }
  return transcript.entries.map(({ entry }) => (entry.kind === 'resumed' ? `resumed ${entry.at}` : entry.kind));
}

it('each resume is marked at its place in the conversation', () => {
  expect(transcriptOf(asked, 1, asked, 2)).toEqual(['user', 'resumed 1', 'user', 'resumed 2']);
});

it('resumes without text in between share one mark, and there is none before the first text', () => {
  expect(transcriptOf(asked, 1, 2, 3)).toEqual(['user', 'resumed 3']);
  expect(transcriptOf(told, 1, asked)).toEqual(['notice', 'user']);
});
