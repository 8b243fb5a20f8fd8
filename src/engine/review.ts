/** What a command left for the user's word (MO-9): asked before its end is told, so that the model's next step waits. */
import type { RunningCommand } from '../contracts/commands.ts';
import type { SessionId } from '../session/ids.ts';
import type { EffectContext } from './effect-context.ts';

/** Asks for what the command has left, if anything, and carries the answer out. Never rejects. */
export async function review(
  context: EffectContext,
  running: RunningCommand,
  { op, session, command }: { readonly op: string; readonly session: SessionId; readonly command: string },
  signal: AbortSignal,
): Promise<void> {
  const left = await context.services.agent.left?.(running);
  if (!left) return;
  const name = `review-${op}`;
  const { about, items, diff } = left;
  const answered = context.reviews.answer(name, signal);
  await context.dispatch({ type: 'reviewAsked', review: name, about, command, items, diff }, session).catch(() => {});
  const text = await left.settle(await answered);
  await context.dispatch({ type: 'reviewed', review: name, text }, session).catch(() => {});
}
