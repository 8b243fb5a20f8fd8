import { describe, expect, it } from 'vitest';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { type Waiting, waitingLine } from '../../../src/ui/screen/progress.ts';

const quiet: Waiting = {
  what: 'thinking',
  since: 0,
  now: 6_000,
  reply: { preset: 'fast', opened: false, text: '', reasoning: '' },
  answeringSince: undefined,
  runs: undefined,
  key: 'Ctrl-C',
  turn: 0,
};

function line(change: Partial<Waiting>, width = 80): string {
  return waitingLine({ ...quiet, ...change }, { width, paint: paintOf(THEMES.none), theme: THEMES.none });
}

const reply = (change: object) => ({ preset: 'fast', opened: true, text: '', reasoning: '', ...change });

describe('the waiting row', () => {
  it.each([
    ['before the server has taken the request', {}, 'connecting to fast · 6 s'],
    [
      'before the next attempt, counting down',
      { reply: reply({ pause: { why: 'fast failed (502)', until: 9_400 } }) },
      'fast failed (502) · trying again in 4 s · 6 s',
    ],
    ['before the first word', { reply: reply({}) }, 'reading the prompt · fast · 6 s'],
    ['while the model reasons', { reply: reply({ reasoning: 'hm' }) }, 'thinking · fast · 6 s'],
    [
      'while text arrives',
      { reply: reply({ text: 'x'.repeat(800) }), answeringSince: 1_000 },
      'answering · ≈ 40 tok/s · 6 s',
    ],
    ['while a command runs', { reply: undefined, what: 'running', runs: 'make -j4' }, 'running · make -j4 · 6 s'],
    ['while the gate judges', { reply: undefined, what: 'checking' }, 'checking · 6 s'],
  ] as const)('says what happens %s, for how long, and which key stops it', (_when, change, said) => {
    expect(line(change)).toBe(`⠋ ${said}`.padEnd(80 - 13) + 'Ctrl-C stops ');
  });

  it('counts down to the timeout once a server has been silent for ten seconds', () => {
    const patience = { from: 1_000, until: 601_000 };
    expect(line({ reply: reply({ patience }), now: 10_900 })).toContain('reading the prompt · fast · 10 s');
    expect(line({ reply: reply({ patience }), now: 11_000 })).toContain('fast · gives up in 9 min 50 s · 11 s');
  });

  it('never says thinking while text arrives', () => {
    expect(line({ reply: reply({ text: 'Yes', reasoning: 'hm' }) })).not.toContain('thinking');
  });

  it('names no rate before there is one', () => {
    expect(line({ reply: reply({ text: 'Yes' }), answeringSince: 5_500 })).toContain('answering · 6 s');
  });

  it('animates its spinner, or keeps it still where animation is off', () => {
    expect(line({ turn: 1 })[0]).toBe('⠙');
    expect(line({ turn: undefined })[0]).toBe('·');
  });

  it('fits 40 columns, and drops the time last', () => {
    const narrow = line({ reply: undefined, what: 'running', runs: 'a command with many words in it' }, 40);
    expect(narrow).toHaveLength(40);
    expect(narrow).toContain('running · 6 s');
  });
});
