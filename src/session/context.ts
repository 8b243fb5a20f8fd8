/**
 * State → the messages of the next call: fixed head + turns + volatile tail (CX-1, CX-6); and what leaves when it grows
 * too large.
 */
import { DELEGATE_BLOCK } from './delegate.ts';
import type { Of } from './event.ts';
import { evict, isAsked, MAX_TOLD_CHARS, sentCalls, sentImages, sentText, tokensFrom, uncounted } from './evict.ts';
import { clip } from './exec-text.ts';
import type { ImageAttachment, Message, Reply } from './message.ts';
import { modeNotice, modeWords } from './mode.ts';
import { taskLine } from './norris.ts';
import type { Evicted } from './phase.ts';
import { placeWords } from './place.ts';
import type { Budget, Conversation, Turn } from './state.ts';
import type { Transition } from './transition.ts';

const NORRIS_BLOCK = `[NORRIS MODE]
You are operating autonomously toward a stated goal. Plan and execute step
by step. After each action, you will see its result in the next turn. Re-plan
based on what you observe.

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
function tailOf({ phase, settings }: Conversation): string | undefined {
  return phase.kind === 'idle' || phase.run.kind !== 'norris' ? undefined : taskLine(phase.run, settings.taskModels);
}

/** The system message: the constant prompt, and over a run its block (NO-6, TO-4). */
export function headOf(conversation: Conversation, system: string): string {
  return system + surroundingsBlock(conversation) + runBlock(conversation);
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

/** The directory that a turn names at its end, where the model had come to another one. */
function toldDirectory({ kind, text }: Turn): string | undefined {
  if (kind === 'assistant') return undefined;
  return /, cwd ([^\n]*)\](?:\n\[[^\n]*\])?$/.exec(text)?.[1];
}

/** What stands for the turns before it, as the model reads it. */
export function summaryText({ summary }: Conversation): string {
  return summary ? `\n[aish] summary (written by the model):\n${summary.text}` : '';
}

/** Stands for the evicted turns; depends on nothing else, so that it stays the same until the next eviction. */
function evictedNotice(conversation: Conversation, from: number): string {
  const { turns, mode, named } = conversation;
  const last = turns.slice(0, from).findLast(isAsked);
  const asked = last ? `; what was asked last among them:\n${clip(last.text, MAX_TOLD_CHARS)}` : '';
  // A mode other than the one that the system message names was told in a turn that may be gone by now.
  const cwd =
    named &&
    turns
      .slice(0, from)
      .map(toldDirectory)
      .findLast((told) => told !== undefined);
  const place = cwd === undefined || cwd === named?.cwd ? '' : `\n[aish] directory: ${cwd}`;
  const changed = mode === (named?.mode ?? 'unrestricted') ? '' : `\n${modeNotice(mode)}`;
  return EVICTED + asked + place + changed + summaryText(conversation);
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

// Token counts have come in: what does not fit leaves the context, with one notice (CX-1).

export type Measure = Pick<Of<'measured'>, 'budget' | 'tokens' | 'files'>;

/** Puts counts and files into `turns`. */
function withMeasure(turns: Turn[], { tokens, files = [] }: Measure): void {
  for (const [at, count] of tokens) if (turns[at]) turns[at] = { ...turns[at], tokens: count };
  for (const [at, file] of files) {
    // Naming the file makes the text longer: it is counted again.
    const turn = turns[at];
    if (turn) turns[at] = { ...uncounted(turn), file };
  }
}

/** The turns that would leave the context with this measure, and are in no summary: from one index to another. */
export function leavingTurns(
  conversation: Conversation,
  measure: Measure,
): { readonly from: number; readonly upTo: number } | undefined {
  const { evictedTurns = 0, summary } = conversation;
  const turns = [...conversation.turns];
  withMeasure(turns, measure);
  const upTo = evict(turns, firstInContext(conversation), measure.budget.limit).evictedTurns;
  const from = Math.max(evictedTurns, summary?.upTo ?? 0);
  return upTo > from ? { from, upTo } : undefined;
}

/** The turns before `upTo` leave the context, and the summary takes their place (CX-8). */
export function takeSummary(next: Transition, { op, upTo, text, preset }: Of<'summarized'>): void {
  const { phase, turns, evictedTurns = 0, budget } = next.conversation;
  if (phase.kind !== 'replying' || phase.op !== op || upTo <= evictedTurns || upTo > turns.length) return;
  next.set({ summary: { text, upTo }, evictedTurns: upTo });
  if (budget) next.set({ used: Math.ceil((budget.head + tokensFrom(turns, upTo)) * budget.factor) });
  const left = upTo - evictedTurns;
  const what = left === 1 ? '1 turn was' : `${left} turns were`;
  next.notice('info', `[aish] ${what} summarised by ${preset}; :history shows the summary`);
}

/** Takes counts and files over into the turns, then makes them fit. Facts of a call that is over change nothing. */
export function takeMeasure(next: Transition, { op, ...measure }: Of<'measured'>): void {
  const { phase, budget: before } = next.conversation;
  if (phase.kind !== 'replying' || phase.op !== op) return;
  const { room: requestLimit, ...rest } = measure.budget;
  const budget: Budget = { ...rest, requestLimit };
  const recount = before !== undefined && before.counter !== budget.counter;
  const turns: Turn[] = recount ? next.conversation.turns.map(uncounted) : next.ownTurns();
  withMeasure(turns, measure);
  const { evictedTurns = 0, settings } = next.conversation;
  const from = firstInContext(next.conversation);
  if (from > evictedTurns)
    next.notice('info', `[aish] ${leftText(from - evictedTurns)} (max_turns ${settings.maxTurns})`);
  const kept = evict(turns, from, budget.limit);
  const sent = tokensFrom(kept.turns, kept.evictedTurns);
  next.set({
    turns: kept.turns,
    evictedTurns: kept.evictedTurns,
    budget,
    used: Math.ceil((budget.head + sent) * budget.factor),
  });
  if (budget.source === 'assumed' && (before?.source !== 'assumed' || before.preset !== budget.preset)) {
    next.notice('warning', assumed(budget));
  }
  tell(next, op, budget, kept.evicted);
}

/** The server's own count is the last word on the request that it read, and on its answer (CX-2). */
export function takeUsage(next: Transition, { usage }: Reply): void {
  const { phase, used } = next.conversation;
  if (usage === undefined || used === undefined || phase.kind === 'planning') return;
  // Some servers count only what was not in their cache.
  const prompt = usage.promptTokens * 2 < used ? used : usage.promptTokens;
  next.set({ used: prompt + usage.completionTokens });
}

/** One line for all that one call makes room for, however often it is counted. */
function tell(next: Transition, op: string, budget: Budget, more: Evicted): void {
  const { phase } = next.conversation;
  if (phase.kind !== 'replying' || (more.dropped === 0 && more.shortened === 0)) return;
  const before = phase.evicted ?? { dropped: 0, shortened: 0 };
  const evicted = { dropped: before.dropped + more.dropped, shortened: before.shortened + more.shortened };
  next.phase({ ...phase, evicted });
  next.show({ kind: 'notice', level: 'info', text: evictionLine(evicted, budget) }, `context-${op}`);
}

function evictionLine({ dropped, shortened }: Evicted, { preset, window, requestLimit, answer }: Budget): string {
  const parts = [
    ...(shortened > 0 ? [`${shortened} long ${shortened === 1 ? 'text was' : 'texts were'} shortened`] : []),
    ...(dropped > 0 ? [leftText(dropped)] : []),
  ];
  // The limit that was in force: the user's own where it is below what the window leaves.
  const limit =
    requestLimit < window - answer
      ? `token_budget (${requestLimit} tokens)`
      : `the window of ${preset} (${window} tokens)`;
  return `[aish] ${parts.join(' and ')} to fit ${limit}`;
}

function leftText(turns: number): string {
  return `${turns} oldest ${turns === 1 ? 'turn' : 'turns'} left the context`;
}

function assumed({ preset, window }: Budget): string {
  return `[aish] the window of ${preset} is not known; ${window} tokens are assumed (models.${preset}.context sets it)`;
}

// What a model is told of its surroundings: once in the system message, and at each later change in a turn (CX-7).

/** Fixes what the system message says, with the first request after a start, a resume or a reset. */
export function nameSurroundings(next: Transition): void {
  const { settings, named, mode, cwd, git } = next.conversation;
  if (!settings.surroundings || named) return;
  next.set({
    named: {
      ...settings.surroundings,
      mode,
      cwd,
      ...(git === undefined ? {} : { git }),
      ...(settings.alone ? { alone: true } : {}),
    },
  });
}

/** The block behind the system prompt; empty for journals that know no surroundings. */
export function surroundingsBlock({ named, parent }: Pick<Conversation, 'named' | 'parent'>): string {
  if (!named) return '';
  const { mode, cwd, git, system, shell, date, alone } = named;
  const block = `\n\nAt the start (later changes are told as [aish]):
Mode: ${modeWords(mode, parent === undefined)}
Directory: ${placeWords(cwd, git)}
System: ${system}; the user's shell is ${shell}. Date: ${date}`;
  if (parent) return block;
  return `${block}\n${alone ? 'Nobody is there to answer: decide, and report what is left.' : 'The user is there and can answer.'}`;
}
