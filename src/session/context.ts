/** State → the messages of the next call: fixed head + turns + volatile tail (CX-1, CX-6). */

import type { ImageAttachment } from './attachment.ts';
import { DELEGATE_BLOCK } from './delegate.ts';
import { tokensFrom } from './evict.ts';
import { clip } from './exec-text.ts';
import type { Message } from './message.ts';
import { modeNotice } from './mode.ts';
import { taskLine } from './plan.ts';
import { isAsked, MAX_TOLD_CHARS, sentCalls, sentImages, sentText } from './shorten.ts';
import type { Conversation, Turn } from './state.ts';

const NORRIS_BLOCK = `[NORRIS MODE]
You are operating autonomously toward a stated goal. Plan and execute step
by step using CMD: lines (for shell) or tool_calls. After each action, you
will see its result in the next turn. Re-plan based on what you observe.

When the goal is achieved, emit a single line:
    GOAL: complete
on its own line, optionally followed by a brief summary.

If the goal is unreachable or you need user input, emit:
    GOAL: blocked
with a one-line reason.

Avoid destructive operations unless the goal explicitly requires them. The
user will be prompted to confirm destructive actions; expect their verdict
in the next turn as "[aish] action skipped by user" or "[aish] action approved".`;

const EVICTED = '[aish] earlier turns were left out to stay within the limit';

/**
 * The whole request. `system` is the constant system prompt; the block of a run follows it (NO-6).
 * Nothing changes from call to call but by eviction, and turns are only added, so that a server's prompt cache holds.
 * News (a mode, a job, what the user ran) are turns of their own, delivered with the next call.
 */
export function composeMessages(conversation: Conversation, system: string): readonly Message[] {
  const from = firstInContext(conversation);
  const messages: Message[] = [{ role: 'system', content: headOf(conversation, system) }];
  if (from > 0) messages.push({ role: 'user', content: evictedNotice(conversation, from) });
  for (const turn of conversation.turns.slice(from)) messages.push(messageOf(turn));
  const tail = tailOf(conversation);
  if (tail !== undefined) messages.push({ role: 'user', content: tail });
  return mergeUsers(messages);
}

/** What holds for this one call only and is stored nowhere, so that nothing before it changes (CX-6). */
function tailOf({ phase }: Conversation): string | undefined {
  return phase.kind === 'idle' || phase.run.kind !== 'norris' ? undefined : taskLine(phase.run);
}

/** The system message: the constant prompt, and over a run its block (NO-6, TO-4). */
export function headOf(conversation: Conversation, system: string): string {
  return system + runBlock(conversation);
}

/** Index of the oldest turn that is still sent: `max_turns` and the room in the window each have a say. */
export function firstInContext({ turns, settings, evictedTurns = 0 }: Conversation): number {
  return Math.max(evictedTurns, firstKept(turns, settings.maxTurns));
}

/** How full the context is: tokens of the last request and its answer, and of what may be sent (CX-2, UI-4). */
export function contextUse({
  turns,
  evictedTurns = 0,
  budget,
  used,
}: Conversation): { readonly tokens: number; readonly budget: number; readonly percent: number } | undefined {
  if (!budget) return undefined;
  const tokens =
    turns.length === 0 ? 0 : (used ?? Math.ceil((budget.head + tokensFrom(turns, evictedTurns)) * budget.factor));
  return { tokens, budget: budget.requestLimit, percent: (100 * tokens) / budget.requestLimit };
}

/** Stands for the evicted turns; depends on nothing else, so that it stays the same until the next eviction. */
function evictedNotice({ turns, mode }: Conversation, from: number): string {
  const last = turns.slice(0, from).findLast(isAsked);
  const asked = last ? `; what was asked last among them:\n${clip(last.text, MAX_TOLD_CHARS)}` : '';
  // A mode other than the usual one was told in a turn that may be gone by now.
  return EVICTED + asked + (mode === 'unrestricted' ? '' : `\n${modeNotice(mode)}`);
}

function runBlock({ phase }: Conversation): string {
  if (phase.kind === 'idle') return '';
  switch (phase.run.kind) {
    case 'chat':
      return '';
    case 'norris':
      return `\n\n${NORRIS_BLOCK}\n\nGoal: ${phase.run.goal}`;
    case 'delegate':
      return `\n\n${DELEGATE_BLOCK}`;
  }
}

function messageOf(turn: Turn): Message {
  switch (turn.kind) {
    case 'user':
      return { role: 'user', content: sentText(turn), ...withImages(sentImages(turn)) };
    case 'assistant':
      return { role: 'assistant', content: sentText(turn), toolCalls: sentCalls(turn) };
    case 'result':
      return { role: 'tool', callId: turn.callId, content: sentText(turn) };
  }
}

function withImages(images: readonly ImageAttachment[]) {
  return images.length > 0 ? { images } : {};
}

/** Strict chat templates refuse two user messages in a row. */
function mergeUsers(messages: readonly Message[]): readonly Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      const images = [...(last.images ?? []), ...(message.images ?? [])];
      const content = `${last.content}\n\n${message.content}`;
      merged[merged.length - 1] = { role: 'user', content, ...withImages(images) };
    } else merged.push(message);
  }
  return merged;
}

/**
 * Index of the oldest turn that is still sent. Moves in blocks of a quarter of `maxTurns`, so that the prefix stays
 * the same over many calls, and never lands inside a tool exchange: a result goes with its call.
 */
function firstKept(turns: readonly Turn[], maxTurns: number): number {
  if (turns.length <= maxTurns) return 0;
  const block = Math.max(1, Math.floor(maxTurns / 4));
  let from = Math.ceil((turns.length - maxTurns) / block) * block;
  while (from < turns.length - 1 && turns[from]?.kind === 'result') from += 1;
  // A very long exchange at the end may leave nothing but results: then its call and all of them stay.
  while (from > 0 && turns[from]?.kind === 'result') from -= 1;
  return from;
}
