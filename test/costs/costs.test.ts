import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countCall, createPricing, openLedger, type Paying, readPriceFile } from '../../src/costs/index.ts';
import { PRICE_TABLE } from '../../src/costs/pricing.ts';
import type { CountedCall } from '../../src/session/cost.ts';
import type { CallFailure, Reply } from '../../src/session/message.ts';
import { bash, reply } from '../support/machine.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-costs-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const local: Paying = { name: 'fast', model: 'small', baseUrl: 'http://127.0.0.1:8080/v1', local: true };
const cloud: Paying = { name: 'cloud', model: 'gpt-5.4-mini', baseUrl: 'https://api.openai.com/v1', local: false };
const noFile = createPricing([]);
const messages = [{ role: 'user', content: 'x'.repeat(400) }] as const;
const count = (preset: Paying, answer: Reply, pricing = noFile) =>
  countCall(preset, 'norris', messages, answer, pricing);
const failed = (kind: CallFailure['kind'], text = '') =>
  reply(text, [], { finish: 'failed', failure: { kind, message: kind } });

describe('the price of a preset', () => {
  it('is the preset’s own, else from the user’s list, else from the built-in one; a local server has none', () => {
    const mine = createPricing([{ model: 'gpt-5.4-mini', input: 7, output: 8, date: '2026-11-01' }]);
    const own = { ...cloud, prices: { input: 1, output: 2 } };
    expect(mine.of(own)).toMatchObject({ prices: { input: 1 }, from: 'its preset in the configuration' });
    expect(mine.of(cloud)).toEqual({ prices: { input: 7, output: 8 }, from: 'your price list of 2026-11-01' });
    expect(noFile.of(cloud)).toMatchObject({ prices: { input: 0.75, output: 4.5, cached: 0.075 } });
    expect(noFile.of(cloud)?.from).toMatch(/^the built-in list as of \d{4}-\d\d-\d\d \(/);
    expect(mine.of({ ...local, model: 'gpt-5.4-mini' })).toBeUndefined();
  });

  it('depends on the host: the same model name elsewhere has another price, and a name with a date has the same', () => {
    expect(noFile.of({ ...cloud, baseUrl: 'https://resale.example/v1' })).toBeUndefined();
    expect(noFile.of({ ...cloud, model: 'gpt-5.4-mini-2026-03-05' })?.prices.input).toBe(0.75);
    expect(noFile.of({ ...cloud, model: 'gpt-5.4-mini-turbo' })).toBeUndefined();
  });

  it('counts as paid when it is unknown, unless the server is local or free', () => {
    const unknown = { ...cloud, model: 'other' };
    expect([noFile.paid(local), noFile.paid(cloud), noFile.paid(unknown)]).toEqual([false, true, true]);
    expect(noFile.paid({ ...unknown, prices: { input: 0, output: 0 } })).toBe(false);
    expect(noFile.paid({ ...local, prices: { input: 1, output: 0 } })).toBe(true);
  });

  it('has a date, a source and a host in every built-in row, and no row twice', () => {
    for (const row of PRICE_TABLE) {
      expect(row.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(row.source).toBeTruthy();
      expect(row.host).toBeTruthy();
      expect(row.output).toBeGreaterThan(row.input);
      expect(row.cached ?? 0).toBeLessThan(row.input);
    }
    expect(new Set(PRICE_TABLE.map((row) => `${row.host} ${row.model}`)).size).toBe(PRICE_TABLE.length);
  });
});

describe('the cost of a call', () => {
  it('is what the server reports, rather than what a price list gives', () => {
    const usage = { promptTokens: 1000, completionTokens: 100, dollars: 0.5 };
    expect(count(cloud, reply('a', [], { usage }))).toMatchObject({ dollars: 0.5, local: false });
  });

  it('is the cost of its tokens, with those from the cache at their own price', () => {
    const usage = { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 600_000 };
    expect(count(cloud, reply('a', [], { usage }))?.dollars).toBeCloseTo(0.4 * 0.75 + 0.6 * 0.075);
  });

  it('is nothing on this machine, and unknown where no price is known', () => {
    const answer = reply('a', [], { usage: { promptTokens: 10, completionTokens: 1 } });
    expect(count(local, answer)).toMatchObject({ local: true });
    expect(count(local, answer)).not.toHaveProperty('dollars');
    const unknown = count({ ...cloud, model: 'other' }, answer);
    expect(unknown).toMatchObject({ local: false });
    expect(unknown).not.toHaveProperty('dollars');
  });

  it.each([
    ['not counted by any server', reply('y'.repeat(40))],
    ['cancelled', reply('y'.repeat(40), [], { finish: 'cancelled' })],
    ['cut', failed('cut', 'y'.repeat(40))],
  ])('is estimated, and marked so, for a call that was %s', (_, answer) => {
    expect(count(local, answer)).toMatchObject({ promptTokens: 100, completionTokens: 10, estimated: true });
  });

  it('of a cut call uses the counts that the server sent until then', () => {
    const answer = { ...failed('cut', 'y'), usage: { promptTokens: 77, completionTokens: 3 } };
    expect(count(local, answer)).toMatchObject({ promptTokens: 77, completionTokens: 3 });
    expect(count(local, answer)).not.toHaveProperty('estimated');
  });

  it('includes the tokens of tool calls', () => {
    expect(count(local, reply('', [bash('c', 'x'.repeat(100))]))?.completionTokens).toBeGreaterThan(25);
  });

  it.each(['unreachable', 'auth', 'busy', 'refused', 'unknown-preset', 'server'] as const)(
    'is not counted for a call that failed before anything was done (%s)',
    (kind) => {
      expect(count(cloud, failed(kind))).toBeUndefined();
    },
  );
});

describe('the user’s price list', () => {
  const write = (text: string) => {
    const path = join(dir, 'prices.jsonc');
    writeFileSync(path, text);
    return readPriceFile(path);
  };

  it('may be missing, and may have comments', () => {
    expect(readPriceFile(join(dir, 'none.jsonc'))).toEqual({ rows: [] });
    const { rows, problem } = write('// mine\n[{ "model": "m", "input": 1, "output": 2, "date": "2026-11-01" },]');
    expect(problem).toBeUndefined();
    expect(rows).toEqual([{ model: 'm', input: 1, output: 2, date: '2026-11-01' }]);
  });

  it.each([
    ['[{ "model": "m", "input": 1 }]', /price 1 is missing output/],
    ['[{ "model": "m", "input": -1, "output": 2 }]', /price 1 needs dollars per million tokens as input/],
    ['[{ "model": "m", "input": 1, "output": "2" }]', /price 1 needs .* as output/],
    ['[{ "model": "m", "input": 1, "output": 2, "cost": 3 }]', /price 1 has an unknown key: cost/],
    ['{}', /must be a list of prices/],
    ['[\n{ "model": ]', /prices\.jsonc:2: /],
  ])('with the mistake %s is reported and not used', (text, problem) => {
    const read = write(text);
    expect(read.rows).toEqual([]);
    expect(read.problem).toMatch(problem);
  });
});

describe('the ledger', () => {
  const call: CountedCall = {
    preset: 'cloud',
    model: 'big',
    category: 'chat',
    promptTokens: 10,
    completionTokens: 2,
    dollars: 0.25,
    local: false,
  };
  const noon = (day: number) => new Date(2026, 10, day, 12).getTime();
  const open = (name = 'costs.jsonl') =>
    openLedger(join(dir, name), (why) => {
      throw new Error(why);
    });

  it('adds up costs by day and model over all sessions, and is a private file', async () => {
    using first = closing(open());
    using second = closing(open());
    first.add('s1', noon(2), call);
    second.add('s2', noon(2), call);
    first.add('s1', noon(1), { ...call, model: 'small', local: true });
    second.add('s2', noon(1), {
      preset: 'x',
      model: 'odd',
      category: 'chat',
      promptTokens: 1,
      completionTokens: 1,
      local: false,
    });
    expect(await first.days()).toMatchObject([
      { day: '2026-11-01', model: 'odd', unpriced: 1, dollars: 0 },
      { day: '2026-11-01', model: 'small', local: true },
      { day: '2026-11-02', model: 'big', calls: 2, dollars: 0.5, promptTokens: 20, completionTokens: 4 },
    ]);
    expect(statSync(join(dir, 'costs.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('loses no record to an incomplete line that a killed program left', async () => {
    using ledger = closing(open());
    ledger.add('s1', noon(1), call);
    appendFileSync(join(dir, 'costs.jsonl'), '{"at":17,"session":"s');
    ledger.add('s1', noon(1), call);
    expect(await ledger.days()).toMatchObject([{ calls: 2 }]);
    expect(readFileSync(join(dir, 'costs.jsonl'), 'utf8')).not.toMatch(/preset|prices/);
  });

  it('accepts the calls of several programs at once', async () => {
    const fixture = fileURLToPath(new URL('fixture.ts', import.meta.url));
    const path = join(dir, 'costs.jsonl');
    const ended = Array.from({ length: 3 }, (_, n) =>
      once(spawn(process.execPath, [fixture, path, `s${n}`, '300']), 'exit'),
    );
    expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0, 0]);
    using ledger = closing(open());
    expect((await ledger.days()).reduce((sum, day) => sum + day.calls, 0)).toBe(900);
  });

  it('is not created before something was counted, and reads as empty until then', async () => {
    using ledger = closing(open());
    expect(await ledger.days()).toEqual([]);
    expect(existsSync(join(dir, 'costs.jsonl'))).toBe(false);
  });

  it('reports once that it can’t be written', () => {
    const told: string[] = [];
    writeFileSync(join(dir, 'file'), '');
    const ledger = openLedger(join(dir, 'file', 'costs.jsonl'), (why) => told.push(why));
    ledger.add('s1', noon(1), call);
    ledger.add('s1', noon(1), call);
    expect(told).toHaveLength(1);
  });
});

function closing(ledger: ReturnType<typeof openLedger>) {
  return { ...ledger, [Symbol.dispose]: ledger.close };
}
