/** A model's reply → its actions and its sentinel (AC-1). */
import { parseJsonObject } from '../text/json.ts';
import type { Action, CommandAction, DelegateAction } from './action.ts';
import type { Reply, ToolCall } from './message.ts';
import type { Sentinel } from './phase.ts';

const MARKER = /^[ \t]*(CMD|CMD&|DELEGATE):[ \t]*(\S.*)$/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const GOAL = /^GOAL:[ \t]*(complete|blocked)\b[ \t.:;,–—-]*(.*)$/i;

/** Whether a line asks for an action or says how the goal stands, rather than being prose. */
export function isMarkerLine(line: string): boolean {
  return MARKER.test(line) || GOAL.test(line.trim());
}

/** Whether it asks for an action, which it also does within a fence. */
export function isActionLine(line: string): boolean {
  return MARKER.test(line);
}

export type ParsedReply = { readonly actions: readonly Action[]; readonly sentinel?: Sentinel };

/** What a whole reply asks for; the last line of one that the token limit cut may be half a command. */
export function readReply({ text, toolCalls, finish, truncated }: Reply): ParsedReply {
  return parseReply(text, toolCalls, finish !== 'length' && truncated !== true);
}

/**
 * Reads tool calls first, then the line markers as they stand in the text.
 * With `complete` false (cut by the token limit) a marker on the last line may be half a command and is left out.
 */
export function parseReply(text: string, toolCalls: readonly ToolCall[], complete: boolean): ParsedReply {
  const lines = text.split('\n');
  if (!complete) lines.pop();
  const actions: Action[] = toolCalls.map(fromToolCall);
  for (const line of lines) {
    const [, marker, rest] = MARKER.exec(line) ?? [];
    if (rest === undefined) continue;
    if (marker === 'DELEGATE') actions.push({ kind: 'delegate', task: rest.trimEnd() });
    else actions.push({ kind: 'command', command: rest.trimEnd(), job: marker === 'CMD&' });
  }
  const sentinel = findSentinel(lines);
  return sentinel ? { actions, sentinel } : { actions };
}

/** Sentinels count outside fences only; complete beats blocked. */
function findSentinel(lines: readonly string[]): Sentinel | undefined {
  let fence: string | undefined;
  let blocked: Sentinel | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (mark && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const goal = GOAL.exec(line.trim());
    if (!goal) continue;
    if (goal[1]?.toLowerCase() === 'complete') return { kind: 'complete' };
    blocked ??= { kind: 'blocked', reason: goal[2]?.trim() || lines[index + 1]?.trim() || 'no reason given' };
  }
  return blocked;
}

/** `bash` and `delegate` with well-formed arguments are as their lines; anything else stays a tool call for its schema to judge. */
function fromToolCall(call: ToolCall): Action {
  const action = call.name === 'bash' ? bashCommand(call) : call.name === 'delegate' ? delegation(call) : undefined;
  return action ?? { kind: 'tool', name: call.name, arguments: call.arguments, callId: call.id };
}

function delegation(call: ToolCall): DelegateAction | undefined {
  const { task, ...rest } = parseJsonObject(call.arguments) ?? {};
  if (typeof task !== 'string' || task.trim() === '' || Object.keys(rest).length > 0) return undefined;
  return { kind: 'delegate', task: task.trim(), callId: call.id };
}

function bashCommand(call: ToolCall): CommandAction | undefined {
  const args = parseJsonObject(call.arguments);
  if (!args) return undefined;
  const { command, wait_seconds: wait, label, ...rest } = args;
  if (typeof command !== 'string' || command.trim() === '' || Object.keys(rest).length > 0) return undefined;
  if (wait !== undefined && (typeof wait !== 'number' || !(wait >= 0))) return undefined;
  if (label !== undefined && typeof label !== 'string') return undefined;
  return {
    kind: 'command',
    command,
    job: false,
    callId: call.id,
    ...(wait === undefined ? {} : { waitSeconds: wait }),
    ...(label === undefined ? {} : { label }),
  };
}
