import type { CallFailure, Reply } from '../session/message.ts';
import type { Accumulated } from './accumulator.ts';
import type { Preset } from './preset.ts';
import type { Attempt } from './transport.ts';

/** Turns what an attempt got into a reply, with a line for everything the user would otherwise wonder about. */
export function replyOf(preset: Preset, { got, cancelled, fault }: Attempt): Reply {
  const finish = cancelled ? 'cancelled' : fault ? 'failed' : finishOf(got);
  return {
    text: got.text,
    reasoning: got.reasoning,
    toolCalls: got.toolCalls,
    ...(got.usage && { usage: got.usage }),
    preset: preset.name,
    finish,
    ...(got.finishReason === 'length' && { truncated: true }),
    ...(fault && !cancelled && { failure: fault.failure }),
    notices: finish === 'cancelled' ? [] : remarks(preset, got, finish),
  };
}

/** A reply that failed, or was cancelled, before anything was sent. */
export function emptyReply(preset: string, finish: 'cancelled' | 'failed', failure?: CallFailure): Reply {
  return { text: '', reasoning: '', toolCalls: [], preset, finish, ...(failure && { failure }), notices: [] };
}

/** Calls make a tool turn whatever the server calls it. */
function finishOf(got: Accumulated): 'stop' | 'tools' | 'length' {
  if (got.toolCalls.length > 0) return 'tools';
  return got.finishReason === 'length' ? 'length' : 'stop';
}

function remarks(preset: Preset, got: Accumulated, finish: Reply['finish']): string[] {
  const lines: string[] = [];
  const spoken = got.text.trim() !== '';
  const limited = got.finishReason === 'length';
  for (const name of got.dropped)
    lines.push(`${preset.name}: a call of ${name} was cut off and dropped; nothing of it ran`);
  if (finish !== 'failed' && !spoken && got.toolCalls.length === 0 && got.dropped.length === 0) {
    if (got.reasoning.trim() === '') lines.push(`${preset.name} gave an empty answer`);
    else if (limited) lines.push(`${preset.name} spent its whole token limit in thinking; there is no answer`);
    else lines.push(`${preset.name} only thought and gave no answer`);
  } else if (limited && spoken) {
    lines.push(`${preset.name}: the answer was cut at the token limit`);
  }
  if (got.finishReason === 'tool_calls' && got.toolCalls.length === 0 && got.dropped.length === 0) {
    lines.push(`${preset.name} announced a tool call but made none`);
  }
  if (got.finishReason === 'content_filter') lines.push(`${preset.name}: the server's content filter cut the answer`);
  if (/<tool_call>/.test(got.text))
    lines.push(`${preset.name} wrote a tool call as plain text; it was not taken as one`);
  return lines;
}
