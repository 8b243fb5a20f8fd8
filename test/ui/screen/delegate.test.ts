import { describe, expect, it } from 'vitest';
import { Transcript } from '../../../src/engine/transcript.ts';
import { subAgents } from '../../../src/session/delegate.ts';
import { stripStyles } from '../../../src/text/style.ts';
import { lineWidth } from '../../../src/text/wrap.ts';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { agentLine, delegateLines } from '../../../src/ui/screen/entries/delegate.ts';
import { itemLines } from '../../../src/ui/screen/entries/lines.ts';
import { harmless, Machine } from '../../support/machine.ts';

const context = (width: number) => ({ width, theme: THEMES.none, paint: paintOf(THEMES.none) });
const plain = (lines: readonly string[]) => lines.map(stripStyles);
const asIs = <T>(value: T) => value;

/** The line of a sub-agent with this task, three seconds after it started. */
function lineOf(task: string, width: number, command?: string): string {
  const machine = new Machine();
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.says(`DELEGATE: ${task}`);
  machine.judges(harmless);
  machine.spawns();
  const [id = ''] = machine.children;
  if (command !== undefined) {
    machine.agentSays(id, `CMD: ${command}`);
    machine.judges(harmless, false, id);
    machine.send({ type: 'actionStarted', op: machine.opOf(id) }, id);
  }
  const [agent] = subAgents(machine.state);
  return agent ? agentLine(agent, agent.run.startedAt + 3000, context(width), asIs) : '';
}

describe('the line of a working sub-agent', () => {
  it('has its number, task, step, action and time', () => {
    expect(lineOf('count the files', 60)).toBe('▹ 1 count the files                        1/12 thinking 3 s');
    expect(lineOf('count', 40, 'ls -la')).toBe('▹ 1 count           1/12 runs ls -la 3 s');
  });

  it.each([20, 40, 80, 200])('is one row of %i columns, whatever its text', (width) => {
    for (const text of ['count the files', '目'.repeat(100), 'x'.repeat(500), 'a\tb \x1b[31mred\x07 \u202eevil']) {
      const line = lineOf(text, width, `echo ${text}`);
      expect(lineWidth(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/[\x00-\x1f\u202e]/);
    }
  });
});

describe('a finished sub-agent', () => {
  const entry = (text: string, failed = false) =>
    ({ kind: 'delegate', op: 'op1', task: 'count', result: { text, failed, steps: 2 } }) as const;

  it('shows the beginning of its report, and how much of it is not shown', () => {
    const report = Array.from({ length: 20 }, (_, at) => `- item ${at}`).join('\n');
    const lines = plain(delegateLines(entry(report), context(80)));
    expect(lines[0]).toBe('▹ count  sub-agent · 2 steps');
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toBe('│ ⋯ 14 more lines of its report');
  });

  it('shows all its steps where it is unfolded', () => {
    const transcript = new Transcript();
    transcript.apply({ kind: 'show', key: 'op1', entry: { kind: 'delegate', op: 'op1', task: 'count' } });
    const step = { kind: 'norrisStep', step: 1, maxSteps: 12 } as const;
    const exec = { kind: 'exec', op: 'op2', by: 'model', command: 'ls', cwd: '/', private: false } as const;
    const said = { kind: 'assistant', text: 'Two.', preset: 'fast', partial: false } as const;
    transcript.apply({ kind: 'show', key: 'e1', entry: step, within: 'op1' });
    transcript.apply({ kind: 'show', key: 'op2', entry: exec, within: 'op1' });
    transcript.apply({ kind: 'show', key: 'e2', entry: said, within: 'op1' });
    transcript.apply({ kind: 'show', key: 'op1', entry: entry('Two.') });
    const [shown] = transcript.entries;
    if (!shown) throw new Error('nothing is shown');
    expect(shown.version).toBe(4);
    const lines = plain(itemLines(shown, context(40), asIs)).filter((line) => line.trim() !== '┆');
    expect(lines).toEqual([
      ' ',
      '▹ count  sub-agent · 2 steps',
      `┆ ── step 1/12 ${'─'.repeat(25)}`,
      '┆ ▸ ls',
      '┆ ● Two.',
    ]);
  });

  it('is not shown in a transcript that was cleared meanwhile', () => {
    const transcript = new Transcript();
    const notice = { kind: 'notice', level: 'info', text: 'x' } as const;
    transcript.apply({ kind: 'show', key: 'e1', entry: notice, within: 'op1' });
    expect(transcript.entries).toEqual([]);
  });
});
