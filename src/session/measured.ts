/** Token counts have come in: what does not fit leaves the context, and this is said once (CX-1). */
import { firstInContext } from './context.ts';
import type { SessionEvent } from './event.ts';
import { evict, tokensFrom, uncounted } from './evict.ts';
import type { Reply } from './message.ts';
import type { Evicted } from './phase.ts';
import type { Budget, Turn } from './state.ts';
import type { Work } from './work.ts';

type Measured = Extract<SessionEvent, { type: 'measured' }>;

/** Takes counts and files over into the turns, then makes them fit. Facts of a call that is over change nothing. */
export function takeMeasure(work: Work, { op, budget, tokens, files = [] }: Measured): void {
  const { phase, budget: before } = work.conversation;
  if (phase.kind !== 'replying' || phase.op !== op) return;
  const turns: Turn[] =
    before && before.counter !== budget.counter ? work.conversation.turns.map(uncounted) : [...work.conversation.turns];
  for (const [at, count] of tokens) if (turns[at]) turns[at] = { ...turns[at], tokens: count };
  for (const [at, file] of files) {
    // Naming the file makes the text longer: it is counted again.
    const turn = turns[at];
    if (turn) turns[at] = { ...uncounted(turn), file };
  }
  const { gone = 0, settings } = work.conversation;
  const from = firstInContext(work.conversation);
  if (from > gone) work.notice('info', `[aish] ${leftText(from - gone)} (max_turns ${settings.maxTurns})`);
  const kept = evict(turns, from, budget.limit);
  const sent = tokensFrom(kept.turns, kept.gone);
  work.set({ turns: kept.turns, gone: kept.gone, budget, used: Math.ceil((budget.head + sent) * budget.factor) });
  if (budget.source === 'assumed' && (before?.source !== 'assumed' || before.preset !== budget.preset)) {
    work.notice('warning', assumed(budget));
  }
  tell(work, op, budget, kept.evicted);
}

/** The server's own count is the last word on the request that it read, and on its answer (CX-2). */
export function takeUsage(work: Work, { usage }: Reply): void {
  const { phase, used } = work.conversation;
  if (usage === undefined || used === undefined || phase.kind === 'planning') return;
  // Some servers count only what was not in their cache.
  const prompt = usage.promptTokens * 2 < used ? used : usage.promptTokens;
  work.set({ used: prompt + usage.completionTokens });
}

/** One line for all that one call makes room for, however often it is counted. */
function tell(work: Work, op: string, budget: Budget, more: Evicted): void {
  const { phase } = work.conversation;
  if (phase.kind !== 'replying' || (more.gone === 0 && more.shortened === 0)) return;
  const before = phase.evicted ?? { gone: 0, shortened: 0 };
  const evicted = { gone: before.gone + more.gone, shortened: before.shortened + more.shortened };
  work.phase({ ...phase, evicted });
  work.show({ kind: 'notice', level: 'info', text: evictionLine(evicted, budget) }, `context-${op}`);
}

function evictionLine({ gone, shortened }: Evicted, { preset, window }: Budget): string {
  const parts = [
    ...(shortened > 0 ? [`${shortened} long ${shortened === 1 ? 'text was' : 'texts were'} shortened`] : []),
    ...(gone > 0 ? [leftText(gone)] : []),
  ];
  return `[aish] ${parts.join(' and ')} to fit the window of ${preset} (${window} tokens)`;
}

function leftText(turns: number): string {
  return `${turns} oldest ${turns === 1 ? 'turn' : 'turns'} left the context`;
}

function assumed({ preset, window }: Budget): string {
  return `[aish] the window of ${preset} is not known; ${window} tokens are assumed (models.${preset}.context sets it)`;
}
