import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Services } from '../../src/contracts/services.ts';
import type { EffectContext } from '../../src/engine/effect-context.ts';
import { fitContext } from '../../src/engine/effects.ts';
import { Live } from '../../src/engine/live.ts';
import { composeMessages } from '../../src/session/context.ts';
import type { Message, ToolCall } from '../../src/session/message.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState } from '../../src/session/state.ts';
import { cases } from '../support/cases.ts';
import { bash, harmless, judged, Machine, reply } from '../support/machine.ts';

const SYSTEM = 'You are aish.';
const ANSWER = 256;

/**
 * One step of a run: text, calls with arguments, outputs of some sizes, and text that the user typed during the step.
 */
type Step = {
  readonly text: number;
  readonly outputs: readonly number[];
  readonly argument: number;
  readonly marker: boolean;
  readonly typed: number | undefined;
};

const size = fc.oneof(fc.nat(200), fc.nat(3000), fc.constantFrom(0, 8000));
const step: fc.Arbitrary<Step> = fc.record({
  text: fc.oneof(fc.nat(100), fc.nat(4000)),
  outputs: fc.array(size, { maxLength: 4 }),
  argument: fc.oneof(fc.constant(1), fc.nat(3000)),
  marker: fc.boolean(),
  typed: fc.option(size, { nil: undefined, freq: 4 }),
});

let serial = 0;

/** Text with words and lines of different lengths. */
function words(length: number): string {
  let text = '';
  while (text.length < length) {
    serial += 1;
    text += serial % 9 === 0 ? `line ${serial}\n` : `word${serial} `;
  }
  return text.slice(0, length);
}

/** Tokens as this test's model counts them: one for every three characters. */
const tokensIn = (text: string) => Math.ceil(text.length / 3);

const size0f = (message: Message): number =>
  tokensIn(message.content) +
  (message.role === 'assistant' ? message.toolCalls.reduce((sum, call) => sum + tokensIn(call.arguments), 0) : 0);

/** The machine with the engine's own fitting before each call, and a made-up token counter. */
class Fitted {
  readonly machine: Machine;
  readonly window: number;

  constructor(window: number, maxTurns: number) {
    this.window = window;
    this.machine = new Machine({ maxTurns, maxNorrisSteps: 1000 });
  }

  /** Returns the request, or undefined where none may be sent. */
  async request(): Promise<readonly Message[] | undefined> {
    const { machine, window } = this;
    const services: Pick<Services, 'models' | 'tools' | 'systemPrompt' | 'maxAnswerTokens'> = {
      models: {
        chatStream: () => Promise.reject(new Error('not here')),
        measure: async (_preset, { head, texts }) => ({
          ...{ counter: 'thirds', factor: 1, margin: 0, window, source: 'config' as const },
          head: tokensIn(head),
          tokens: texts.map((text) => tokensIn(text) + 2),
        }),
      },
      tools: { specs: [], specsWithin: () => ({ specs: [], left: [] }) } as unknown as Services['tools'],
      systemPrompt: SYSTEM,
      maxAnswerTokens: ANSWER,
    };
    const context = {
      services,
      live: new Live(),
      get state() {
        return machine.state;
      },
      dispatch: (body: Parameters<EffectContext['dispatch']>[0], session?: string) => {
        machine.send(body, session);
        return Promise.resolve();
      },
    } as unknown as EffectContext;
    const call = machine.effects.findLast((effect) => effect.kind === 'callModel');
    if (call?.kind !== 'callModel') throw new Error('no call is under way');
    const fit = await fitContext(context, call, new AbortController().signal, () => {});
    return 'tooSmall' in fit ? undefined : composeMessages(machine.conversation, SYSTEM);
  }

  /** The model answers, its actions run, and the next call is due. */
  play({ text, outputs, argument, marker, typed }: Step): void {
    const { machine } = this;
    const calls: ToolCall[] = outputs.map(() => {
      serial += 1;
      return bash(`c${serial}`, `echo ${'x'.repeat(argument)}`);
    });
    const line = marker || calls.length === 0 ? '\nCMD: ls' : '';
    if (typed !== undefined) machine.send({ type: 'asked', line: `l${serial}`, text: words(typed + 1) });
    machine.send({ type: 'replyEnded', op: machine.op, reply: reply(words(text) + line, calls) });
    for (const length of [...outputs, ...(line === '' ? [] : [50])]) {
      machine.send({ type: 'examined', op: machine.op, examination: judged(harmless) });
      machine.runs(words(length));
    }
  }
}

/**
 * Makes random runs. `look` receives each request, the one before it, and whether the transcript reported an eviction.
 */
async function requests(
  look: (now: readonly Message[], before: readonly Message[] | undefined, evicted: boolean, window: number) => void,
): Promise<void> {
  const windows = fc.constantFrom(2048, 4096, 8192);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      windows,
      fc.constantFrom(12, 40, 1000),
      async (steps, window, maxTurns) => {
        const fitted = new Fitted(window, maxTurns);
        fitted.machine.send({ type: 'norrisStarted', goal: 'tidy up' });
        let before: readonly Message[] | undefined;
        for (const each of steps) {
          const shown = fitted.machine.shown.length;
          const now = await fitted.request();
          if (!now) return;
          const evicted = fitted.machine.shown.length > shown;
          look(now, before, evicted, window);
          before = now;
          fitted.play(each);
        }
        const { events, state } = fitted.machine;
        const folded = events.reduce(
          (now, event) => reduce(now, JSON.parse(JSON.stringify(event)))[0],
          emptyState('main'),
        );
        expect(folded).toEqual(state);
      },
    ),
    { numRuns: cases(30) },
  );
}

describe('requests of random conversations', () => {
  it('fit into the window, start with the goal, and satisfy strict servers', async () => {
    await requests((now, _before, _evicted, window) => {
      const total = now.reduce((sum, message) => sum + size0f(message), 0);
      expect(total + ANSWER).toBeLessThanOrEqual(window);
      expect(now[0]).toMatchObject({ role: 'system' });
      expect(now[0]?.content).toContain('Goal: tidy up');
      expect(now.filter(({ role }) => role === 'system')).toHaveLength(1);
      expect(now[1]?.role).toBe('user');
      const open = new Set<string>();
      for (const [index, message] of now.entries()) {
        if (index > 0) expect([message.role, now[index - 1]?.role]).not.toEqual(['user', 'user']);
        if (message.role === 'tool') expect(open.delete(message.callId)).toBe(true);
        else expect([...open]).toEqual([]);
        if (message.role !== 'assistant') continue;
        for (const call of message.toolCalls) {
          open.add(call.id);
          expect(typeof JSON.parse(call.arguments)).toBe('object');
        }
      }
      expect([...open]).toEqual([]);
    });
  });

  it('repeat the previous request as their beginning, unless the transcript reports dropped turns', async () => {
    await requests((now, before, evicted) => {
      if (!before || evicted) return;
      const text = (messages: readonly Message[]) => JSON.stringify(messages).slice(0, -3);
      expect(text(now).startsWith(text(before))).toBe(true);
    });
  });
});

it('repeated truncated answers leave room for the next question', async () => {
  const fitted = new Fitted(2048, 1000);
  const { machine } = fitted;
  machine.send({ type: 'asked', line: 'l0', text: 'hello' });
  expect(await fitted.request()).toBeDefined();
  machine.send({ type: 'replyEnded', op: machine.op, reply: reply('fine') });
  for (let n = 1; n <= 40; n += 1) {
    machine.send({ type: 'asked', line: `l${n}`, text: 'tell me all' });
    expect(await fitted.request()).toBeDefined();
    const failure = { kind: 'protocol', message: 'it did not stop writing' } as const;
    const cut = { ...reply(words(100_000)), finish: 'failed', failure } as const;
    machine.send({ type: 'replyEnded', op: machine.op, reply: cut });
  }
});
