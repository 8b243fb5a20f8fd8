/**
 * Builds the messages of the next call from the state: fixed head, turns, volatile tail (CX-1, CX-6). Also decides
 * which turns leave when the context is full.
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
 * Returns the whole request. `system` is the constant system prompt; in a run its block follows (NO-6).
 * Earlier messages change only by eviction, so that the server's prompt cache stays valid. News (a mode, a job, the
 * user's commands) are turns of their own, delivered with the next call.
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

/** Text for this one call only. It is never stored, so that earlier messages stay unchanged (CX-6). */
function tailOf({ phase, settings }: Conversation): string | undefined {
  return phase.kind === 'idle' || phase.run.kind !== 'norris' ? undefined : taskLine(phase.run, settings.taskModels);
}

/** The system message: the constant prompt, followed in a run by the run's block (NO-6, TO-4). */
export function headOf(conversation: Conversation, system: string): string {
  return system + surroundingsBlock(conversation) + runBlock(conversation);
}

/** Returns the index of the oldest turn that is still sent, limited by `max_turns` and by the window. */
export function firstInContext({ turns, settings, evictedTurns = 0 }: Conversation): number {
  return Math.max(evictedTurns, firstKept(turns, settings.maxTurns));
}

/** Returns how full the context is, in tokens: the last request with its answer, and the limit (CX-2, UI-4). */
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

/** The new directory named at the end of a turn, if the model changed it. */
function announcedDirectory({ kind, text }: Turn): string | undefined {
  if (kind === 'assistant') return undefined;
  return /, cwd ([^\n]*)\](?:\n\[[^\n]*\])?$/.exec(text)?.[1];
}

/** The summary of earlier turns, in the form the model reads. */
export function summaryText({ summary }: Conversation): string {
  return summary ? `\n[aish] summary (written by the model):\n${summary.text}` : '';
}

/** The notice for evicted turns. It depends on nothing else, so that it stays the same until the next eviction. */
function evictedNotice(conversation: Conversation, from: number): string {
  const { turns, mode, named } = conversation;
  const last = turns.slice(0, from).findLast(isAsked);
  const asked = last ? `; what was asked last among them:\n${clip(last.text, MAX_TOLD_CHARS)}` : '';
  // The turn that announced the mode or directory may have been evicted, so name both again.
  const cwd =
    named &&
    turns
      .slice(0, from)
      .map(announcedDirectory)
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
 * Returns the index of the oldest turn that is still sent. It moves in blocks of a quarter of `maxTurns`, so that the
 * prefix stays the same over many calls. It never separates a result from its call.
 */
function firstKept(turns: readonly Turn[], maxTurns: number): number {
  if (turns.length <= maxTurns) return 0;
  const block = Math.max(1, Math.floor(maxTurns / 4));
  let from = Math.ceil((turns.length - maxTurns) / block) * block;
  while (from < turns.length - 1 && turns[from]?.kind === 'result') from += 1;
  // If a very long exchange at the end leaves only results, keep their call and all of them.
  while (from > 0 && turns[from]?.kind === 'result') from -= 1;
  return from;
}

// New token counts arrived: turns beyond the budget leave the context, with one notice (CX-1).

export type Measure = Pick<Of<'measured'>, 'budget' | 'tokens' | 'files'>;

/** Stores counts and file names in `turns`. */
function withMeasure(turns: Turn[], { tokens, files = [] }: Measure): void {
  for (const [at, count] of tokens) if (turns[at]) turns[at] = { ...turns[at], tokens: count };
  for (const [at, file] of files) {
    // The file's name makes the text longer, so its tokens must be counted again.
    const turn = turns[at];
    if (turn) turns[at] = { ...uncounted(turn), file };
  }
}

/** Returns the range of turns that this measure would evict and that no summary covers. */
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

/** The summary replaces the turns before `upTo` (CX-8). */
export function takeSummary(next: Transition, { op, upTo, text, preset }: Of<'summarized'>): void {
  const { phase, turns, evictedTurns = 0, budget } = next.conversation;
  if (phase.kind !== 'replying' || phase.op !== op || upTo <= evictedTurns || upTo > turns.length) return;
  next.set({ summary: { text, upTo }, evictedTurns: upTo });
  if (budget) next.set({ used: Math.ceil((budget.head + tokensFrom(turns, upTo)) * budget.factor) });
  const left = upTo - evictedTurns;
  const what = left === 1 ? '1 turn was' : `${left} turns were`;
  next.notice('info', `[aish] ${what} summarised by ${preset}; :history shows the summary`);
}

/** Stores counts and files in the turns, then makes the turns fit. Late facts of an ended call change nothing. */
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

/** The server's own token count of a request and its answer overrides our estimate (CX-2). */
export function takeUsage(next: Transition, { usage }: Reply): void {
  const { phase, used } = next.conversation;
  if (usage === undefined || used === undefined || phase.kind === 'planning') return;
  // Some servers count only tokens that were not in their cache.
  const prompt = usage.promptTokens * 2 < used ? used : usage.promptTokens;
  next.set({ used: prompt + usage.completionTokens });
}

/** Shows one line for everything that one call evicted, even if it was counted several times. */
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
  // The limit in force: the user's own, if it is smaller than the window's.
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

// Tells a model about the machine: once in the system message, later changes in turns (CX-7).

/** Fixes the system message with the first request after a start, resume or reset. */
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

/** The machine's description after the system prompt; empty for journals without surroundings. */
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
