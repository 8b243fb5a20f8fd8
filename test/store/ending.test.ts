import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/session/event.ts';
import { formatRecord, readEnding } from '../../src/store/read.ts';

const MAIN = { session: 'main', at: 0 } as const;
const asked = (text: string): SessionEvent => ({ ...MAIN, type: 'asked', line: 'l', text });
const ran = (line: string, hidden: boolean): readonly SessionEvent[] => [
  { ...MAIN, type: 'shellStarted', op: line, line, private: hidden },
  {
    ...MAIN,
    type: 'shellEnded',
    op: line,
    result: { exit: 2, cwd: '/', head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 1 },
  },
];

let folder = '';
let path = '';
const write = (events: readonly SessionEvent[], tail = '') =>
  writeFileSync(path, events.map((event, seq) => formatRecord(event, seq)).join('') + tail);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-ending-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the end of a session lists questions and commands, without private lines, sub-agents and a torn record', async () => {
  const agents: SessionEvent = { ...asked('of a sub-agent'), session: 'agent1' };
  write([asked('first'), ...ran('make', false), ...ran('secret', true), agents], '{"v":2,"seq":6,"ev');
  expect(await readEnding(path)).toEqual([
    { kind: 'asked', text: 'first' },
    { kind: 'ran', text: 'make', exit: 2 },
  ]);
});

it('only the end of a long journal is read, starting within a record', async () => {
  write([...Array.from({ length: 400 }, (_, at) => asked(`${at} ${'ä'.repeat(1000)}`)), asked('the last')]);
  const moments = await readEnding(path);
  expect(moments).toHaveLength(12);
  expect(moments.at(-1)).toEqual({ kind: 'asked', text: 'the last' });
});

it('a missing journal shows no last entries', async () => {
  expect(await readEnding(join(folder, 'none'))).toEqual([]);
});
