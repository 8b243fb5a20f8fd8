/** Token counts have come in: what does not fit leaves the context, with one notice (CX-1). */
import { firstInContext } from './context.ts';
import type { Of } from './event.ts';
import { evict, tokensFrom, uncounted } from './evict.ts';
import type { Reply } from './message.ts';
import type { Evicted } from './phase.ts';
import type { Budget, Turn } from './state.ts';
import type { Transition } from './transition.ts';

/** Takes counts and files over into the turns, then makes them fit. Facts of a call that is over change nothing. */
export function takeMeasure(next: Transition, { op, budget: stored, tokens, files = [] }: Of<'measured'>): void {
  const { phase, budget: before } = next.conversation;
  if (phase.kind !== 'replying' || phase.op !== op) return;
  const { room: requestLimit, ...rest } = stored;
  const budget: Budget = { ...rest, requestLimit };
  const recount = before !== undefined && before.counter !== budget.counter;
  const turns: Turn[] = recount ? next.conversation.turns.map(uncounted) : next.ownTurns();
  for (const [at, count] of tokens) if (turns[at]) turns[at] = { ...turns[at], tokens: count };
  for (const [at, file] of files) {
    // Naming the file makes the text longer: it is counted again.
    const turn = turns[at];
    if (turn) turns[at] = { ...uncounted(turn), file };
  }
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
