/** What is still sent of a turn once it has been shortened for want of room (CX-1). */
import { parseBoundedJson } from '../text/json.ts';
import type { ImageAttachment } from './attachment.ts';
import { clip } from './exec-text.ts';
import type { ToolCall } from './message.ts';
import type { Turn } from './state.ts';

/** Characters of arguments that a shortened turn keeps; each long text in them is left out, then all of them. */
const MAX_ARGUMENTS_CHARS = 1200;
const MAX_VALUE_CHARS = 120;
const MAX_COMMAND_CHARS = 160;
/** Characters repeated of a question whose turn was evicted. */
export const MAX_TOLD_CHARS = 800;

/** The text of a turn as the next request has it. */
export function sentText(turn: Turn): string {
  const text = turn.kind === 'user' && turn.origin === 'goal' ? `Goal: ${turn.text}` : turn.text;
  if (turn.keptChars === undefined) return text;
  if (turn.keptChars > 0) return clippedOf(turn, text, turn.keptChars);
  return isOutput(turn) ? outputLine(text, turn.file) : text;
}

/** By turn, which never changes: each request asks for the same several times, and the lines of a megabyte are counted. */
const clipped = new WeakMap<Turn, string>();

function clippedOf(turn: Turn, text: string, keptChars: number): string {
  const known = clipped.get(turn) ?? clip(text, keptChars, turn.file);
  clipped.set(turn, known);
  return known;
}

/** The images of a turn, while it is sent whole. */
export function sentImages(turn: Turn): readonly ImageAttachment[] {
  return turn.kind === 'user' && turn.keptChars === undefined ? (turn.images ?? []) : [];
}

/** The calls of a turn as the next request has them. */
export function sentCalls(turn: Turn): readonly ToolCall[] {
  if (turn.kind !== 'assistant') return [];
  return turn.keptChars === undefined ? turn.toolCalls : turn.toolCalls.map(withoutLongValues);
}

/** All that is sent of a turn, for counting and for its size. */
export function sentWhole(turn: Turn): string {
  // About what chat templates put around calls and results.
  const calls = sentCalls(turn).map(
    (call) => `<tool_call>{"name": "${call.name}", "arguments": ${call.arguments}}</tool_call>`,
  );
  return [turn.kind === 'result' ? `<tool_response>${sentText(turn)}</tool_response>` : sentText(turn), ...calls].join(
    '\n',
  );
}

/** Output of a command, job or tool, which can be looked up again; not the words of the user or a model. */
export function isOutput(turn: Turn): boolean {
  if (turn.kind !== 'user') return turn.kind === 'result';
  return turn.origin === 'exec' || (turn.origin === 'aish' && /^\[aish\] job \d/.test(turn.text));
}

/** The request of the user, or of a sub-agent's parent: repeated when its turn was evicted. A goal is in the head anyway. */
export function isAsked(turn: Turn): boolean {
  if (turn.kind !== 'user') return false;
  return turn.origin === 'user' || (turn.origin === 'aish' && turn.text.startsWith('Task: '));
}

/** `[output left out: 120 lines, full text: path]` between the command and how it ended, where the text has those. */
function outputLine(text: string, file: string | undefined): string {
  const lines = text.split('\n');
  const command = lines.findIndex((line) => line.startsWith('$ '));
  const ended = /^\[exit /.test(lines.at(-1) ?? '') ? lines.at(-1) : undefined;
  const count = Math.max(1, lines.length - (command < 0 ? 0 : command + 1) - (ended === undefined ? 0 : 1));
  const where = file === undefined ? '' : `, full text: ${file}`;
  return [
    ...(command < 0 ? [] : [clip(lines[command] ?? '', MAX_COMMAND_CHARS)]),
    `[output left out: ${count} ${count === 1 ? 'line' : 'lines'}${where}]`,
    ...(ended === undefined ? [] : [ended]),
  ].join('\n');
}

/** The same call with its long texts replaced; the arguments stay a JSON object. */
function withoutLongValues(call: ToolCall): ToolCall {
  if (call.arguments.length <= MAX_ARGUMENTS_CHARS / 4) return call;
  const whole = `{"left_out":"${call.arguments.length} characters"}`;
  try {
    const short = JSON.stringify(parseBoundedJson(call.arguments), (_key, value: unknown) =>
      typeof value === 'string' && value.length > MAX_VALUE_CHARS ? `[${value.length} characters left out]` : value,
    );
    return { ...call, arguments: short.length <= MAX_ARGUMENTS_CHARS ? short : whole };
  } catch {
    return { ...call, arguments: whole };
  }
}
