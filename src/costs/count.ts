/** One call that has ended → its tokens and cost (CO-1). */
import { type CountedCall, priceOf } from '../session/cost.ts';
import type { Category, Message, Reply } from '../session/message.ts';
import type { Paying, Pricing } from './pricing.ts';

/** A rule of thumb for English and code; only where a server told nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** Failures for which no server asks money: it was never reached, or would not begin. */
const UNBILLED: ReadonlySet<string> = new Set([
  'unreachable',
  'auth',
  'loading',
  'busy',
  'overflow',
  'unknown-preset',
  'refused',
]);
/** Failures after which a server may have worked on the call, whether or not anything of it arrived. */
const MAYBE_BILLED: ReadonlySet<string> = new Set(['timeout', 'cut']);

/**
 * What a call has cost, at the server's own word, else at the prices known. Tokens that the server did not tell (a reply
 * that was cancelled or cut, a server that counts nothing) are estimated and said to be. Undefined: nothing was used.
 */
export function countCall(
  preset: Paying,
  category: Category,
  messages: readonly Message[],
  reply: Reply,
  pricing: Pricing,
): CountedCall | undefined {
  const usage = reply.usage ?? estimate(messages, reply);
  if (!usage) return undefined;
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const priced = pricing.of(preset);
  const named = reply.usage?.dollars;
  const dollars = named ?? (priced && priceOf(priced.prices, usage));
  const from = named === undefined ? priced?.from : 'the server’s own count';
  return {
    preset: preset.name,
    model: preset.model,
    category,
    promptTokens,
    completionTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(dollars === undefined ? {} : { dollars }),
    local: preset.local && dollars === undefined,
    ...(reply.usage ? {} : { estimated: true as const }),
    ...(priced ? { prices: priced.prices } : {}),
    ...(from === undefined ? {} : { priceFrom: from }),
  };
}

type Tokens = { readonly promptTokens: number; readonly completionTokens: number; readonly cachedTokens?: number };

function estimate(messages: readonly Message[], reply: Reply): Tokens | undefined {
  const { text, reasoning, toolCalls, finish, failure } = reply;
  const said = text.length + reasoning.length + toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
  const kind = failure?.kind ?? '';
  if (finish === 'failed' && (UNBILLED.has(kind) || (said === 0 && !MAYBE_BILLED.has(kind)))) return undefined;
  const sent = messages.reduce((sum, message) => sum + lengthOf(message), 0);
  return { promptTokens: tokensIn(sent), completionTokens: tokensIn(said) };
}

function lengthOf(message: Message): number {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return message.content.length + calls.reduce((sum, call) => sum + call.arguments.length, 0);
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
