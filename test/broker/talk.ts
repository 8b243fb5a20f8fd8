import { type BrokerOptions, createBroker, type Preset } from '../../src/broker/index.ts';
import type { StreamOptions } from '../../src/contracts/models.ts';
import type { Message, Reply, ToolSpec } from '../../src/session/message.ts';

/** A small conversation, the bash tool, and a broker without real pauses, for tests. */
export const HELLO: readonly Message[] = [
  { role: 'system', content: 'You are a shell assistant.' },
  { role: 'user', content: 'hello' },
];

export const BASH: ToolSpec = {
  name: 'bash',
  description: 'Run a shell command.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

export function presetAt(baseUrl: string, more: Partial<Preset> = {}): Preset {
  return { name: 'fast', model: 'tiny', baseUrl, ...more };
}

/** A broker whose pauses take no time; `pauses` are the milliseconds it asked for. */
export function impatient(presets: readonly Preset[], more: Partial<BrokerOptions> = {}) {
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  return { broker: createBroker({ presets, random: () => 0, sleep, ...more }), pauses };
}

export type Heard = {
  readonly reply: Reply;
  readonly text: string;
  readonly reasoning: string;
  readonly notices: string[];
};

/** Makes one streamed call, and returns everything that arrived. */
export async function converse(
  broker: ReturnType<typeof createBroker>,
  options: Partial<StreamOptions> = {},
  messages: readonly Message[] = HELLO,
  preset = 'fast',
): Promise<Heard> {
  let text = '';
  let reasoning = '';
  const notices: string[] = [];
  const reply = await broker.chatStream(preset, messages, {
    signal: new AbortController().signal,
    category: 'chat',
    tools: [BASH],
    onReasoning: (delta) => {
      reasoning += delta;
    },
    onNotice: (line) => notices.push(line),
    ...options,
    onAgain: () => {
      text = '';
      reasoning = '';
    },
    onText: (delta) => {
      text += delta;
      options.onText?.(delta);
    },
  });
  return { reply, text, reasoning, notices };
}
