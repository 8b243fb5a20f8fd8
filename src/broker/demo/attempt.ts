import { randomUUID } from 'node:crypto';
import type { Category, Message, ToolSpec } from '../../session/message.ts';
import type { Preset } from '../preset.ts';
import type { Attempt } from '../transport.ts';
import { answer, type DemoAnswer } from './script.ts';

/** The preset that works without any server (BR-6). It is a script, and named as such. */
export const DEMO_PRESET: Preset = {
  name: 'demo',
  model: 'demo',
  baseUrl: 'demo:',
  demo: true,
  capabilities: { images: false },
};

/** Tokens, by the script's own measure of four characters each. */
export const DEMO_WINDOW = 16_384;

/** Milliseconds between two words, so that it can be watched and stopped like a real one. */
const PAUSE_MS = 12;

type DemoOptions = {
  readonly tools?: readonly ToolSpec[];
  readonly signal: AbortSignal;
  readonly category: Category;
  readonly stream: boolean;
  onText(delta: string): void;
};

/** One call of the demo, in the form of a call over HTTP. */
export async function attemptDemo(
  messages: readonly Message[],
  options: DemoOptions,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<Attempt> {
  const whole = answer(messages, new Set(options.tools?.map((tool) => tool.name)), options.category);
  let text = '';
  for (const word of whole.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    if (options.stream) await sleep(PAUSE_MS, options.signal);
    if (options.signal.aborted) return result(messages, { text }, true);
    text += word;
    options.onText(word);
  }
  return result(messages, whole, false);
}

function result(messages: readonly Message[], { text, call }: DemoAnswer, cancelled: boolean): Attempt {
  const args = call ? JSON.stringify(call.args) : '';
  const toolCalls = call ? [{ id: `call_${randomUUID().slice(0, 13)}`, name: call.name, arguments: args }] : [];
  const promptTokens = messages.reduce((sum, { content }) => sum + demoTokens(content), 0);
  const usage = { promptTokens, completionTokens: demoTokens(text) + demoTokens(args) };
  const finishReason = call ? 'tool_calls' : 'stop';
  const got = { text, reasoning: '', toolCalls, dropped: [], tooMany: 0, usage, finishReason };
  return { got, arrived: true, cancelled };
}

/** Tokens as the demo counts them. */
export function demoTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
