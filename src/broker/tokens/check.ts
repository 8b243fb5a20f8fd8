/** Compares the server's token count with ours: to calibrate ours, and to detect a truncated request. */
import type { Counted } from '../../contracts/models.ts';
import type { Message, Reply } from '../../session/message.ts';
import { isLocal, type Preset } from '../preset.ts';
import type { Attempt } from '../transport.ts';
import type { Meter } from './meter.ts';

/** A local server that reads a smaller share has silently cut the conversation, as Ollama does. */
const MIN_READ_SHARE = 0.6;
/**
 * The fewest tokens for a comparison: a difference below this has other reasons, and no window in use is smaller than
 * twice this.
 */
const MIN_COMPARED_TOKENS = 1500;
const MIN_READ_TOKENS = 1024;

/** Learns from the server's count. A silently truncated request is reported as one that did not fit. */
export function checkCounts(
  meter: Meter,
  preset: Preset,
  { counted }: { readonly counted?: Counted },
  messages: readonly Message[],
  { fault }: Attempt,
  reply: Reply,
): Reply {
  if (!counted) return reply;
  const { counter, tokens, corrected } = counted;
  if (fault?.failure.kind === 'overflow') {
    const { window, tokens: theirs } = fault.overflow ?? {};
    if (theirs !== undefined) meter.learn(preset, counter, textOf(messages), tokens, theirs);
    // A window large enough for our count explains nothing: then only a shorter request can help.
    const explained = theirs !== undefined || (window !== undefined && window < corrected);
    meter.overflowed(preset, corrected, explained ? window : undefined);
    return reply;
  }
  const read = reply.usage?.promptTokens ?? 0;
  if (read === 0) return reply;
  const odd = isOdd(read, counted);
  if (!odd) meter.learn(preset, counter, textOf(messages), tokens, read);
  const whole = !odd || reply.usage?.cachedTokens !== undefined || !isLocal(preset) || reply.finish === 'failed';
  if (whole || !meter.truncated(preset, read)) return reply;
  const message = `${preset.name} read only ${read} of about ${corrected} tokens: it cuts long conversations silently; give it a larger window`;
  return { ...reply, toolCalls: [], finish: 'failed', failure: { kind: 'overflow', message } };
}

/**
 * Whether the server read far less than we counted. An estimate may be that wrong by itself, and is used only for
 * requests that fit any window.
 */
function isOdd(read: number, { counter, corrected }: Counted): boolean {
  const compared = read >= MIN_READ_TOKENS && corrected >= MIN_COMPARED_TOKENS;
  return counter !== 'estimate' && read < corrected * MIN_READ_SHARE && compared;
}

function textOf(messages: readonly Message[]): string {
  const calls = (message: Message) =>
    message.role === 'assistant' ? message.toolCalls.map(({ arguments: args }) => args).join('\n') : '';
  return messages.map((message) => `${message.content}\n${calls(message)}`).join('\n');
}
