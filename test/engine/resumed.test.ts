/** The mark in the transcript where a session was gone on with. */
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

it('stands where it happened, each time', () => {
  expect(transcriptOf(asked, 1, asked, 2)).toEqual(['user', 'resumed 1', 'user', 'resumed 2']);
});

it('is one where nothing was said in between, and none where nothing was said before', () => {
  expect(transcriptOf(asked, 1, 2, 3)).toEqual(['user', 'resumed 3']);
  expect(transcriptOf(told, 1, asked)).toEqual(['notice', 'user']);
});
