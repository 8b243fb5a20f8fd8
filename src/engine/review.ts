/**
 * What a command left for the user's word (MO-9): asked before its end is told, so that the model's next step waits.
 */
import type { Leftover, RunningCommand } from '../contracts/commands.ts';
import type { SessionId } from '../session/ids.ts';
import type { EffectContext } from './effect-context.ts';

type Asking = {
  /** No other review of the session has it. */
  readonly name: string;
  readonly session: SessionId;
  readonly command: string;
};

/** Asks for what the command has left, if anything, and carries the answer out. Never rejects. */
export async function review(
  context: EffectContext,
  running: RunningCommand,
  { op, ...asking }: { readonly op: string } & Omit<Asking, 'name'>,
  signal: AbortSignal,
): Promise<void> {
  const left = await context.services.agent.left?.(running);
  if (left) await ask(context, left, { name: `review-${op}`, ...asking }, signal);
}

/** Behind a resume: asks for what commands left when the program was closed, one after the other. Never rejects. */
export async function reviewAgain(context: EffectContext): Promise<void> {
  const { agent, now } = context.services;
  const session = context.state.root;
  const waiting = (await agent.waiting?.().catch(() => [])) ?? [];
  for (const [at, { command, left }] of waiting.entries())
    await ask(context, left, { name: `review-${now()}-${at}`, session, command }, new AbortController().signal);
}

/** Asks whether something of the user's own may start from these files, which a model has changed. Never rejects. */
export async function mayStart(context: EffectContext, command: string, items: readonly string[]): Promise<boolean> {
  let started = false;
  const settle = async (yes: boolean) => {
    started = yes;
    return yes ? `starts ${command}` : `${command} not started: a model changed what it comes from`;
  };
  const name = `start-${context.services.now()}-${command}`;
  const left: Leftover = { about: 'start', items, diff: '', settle };
  await ask(context, left, { name, session: context.state.root, command }, new AbortController().signal);
  return started;
}

/** Asks whether a program of Project mode may connect to these. Never rejects; what is no answer is a no. */
export async function mayConnect(
  context: EffectContext,
  program: string,
  items: readonly string[],
  job?: number,
): Promise<'once' | 'always' | 'no'> {
  const name = `network-${context.services.now()}-${items.join()}`;
  const session = context.state.root;
  const answered = context.answers.of(name, new AbortController().signal);
  const until = job === undefined ? 'for this session' : `until job ${job} ends`;
  const command = job === undefined ? program : `${program} (job ${job})`;
  const asked = { about: 'network', command, items, diff: '' } as const;
  await context.dispatch({ type: 'reviewAsked', review: name, ...asked }, session).catch(() => {});
  const answer = await answered;
  const said = answer?.kind === 'proceed' ? 'once' : answer?.kind === 'always' ? 'always' : 'no';
  const words = { once: 'allowed once', always: `allowed ${until}`, no: `refused ${until}` };
  const text = `network: ${items.join(', ')} ${words[said]}`;
  if (!context.closed) void context.dispatch({ type: 'reviewed', review: name, text }, session).catch(() => {});
  return said;
}

async function ask(
  context: EffectContext,
  left: Leftover,
  { name, session, command }: Asking,
  signal: AbortSignal,
): Promise<void> {
  const { about, items, diff } = left;
  const answered = context.answers.of(name, signal);
  await context.dispatch({ type: 'reviewAsked', review: name, about, command, items, diff }, session).catch(() => {});
  const answer = await answered;
  // Closing answers nothing: the next program of this session asks.
  if (context.closed) return;
  const text = await left.settle(answer?.kind === 'proceed');
  await context.dispatch({ type: 'reviewed', review: name, text }, session).catch(() => {});
}
