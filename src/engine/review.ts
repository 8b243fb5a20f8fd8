/**
 * Reviews (MO-9): files that a command left for the user to decide about. The question comes before the command’s end
 * is reported, so that the model’s next step waits.
 */
import type { Connecting, Leftover, NetworkAnswer, RunningCommand } from '../contracts/commands.ts';
import type { SessionId } from '../session/ids.ts';
import type { Attempt } from '../session/phase.ts';
import type { EffectContext } from './effect-context.ts';

type Asking = {
  /** Unique among the session's reviews. */
  readonly name: string;
  readonly session: SessionId;
  readonly command: string;
};

/** Asks about what the command has left, if anything, and applies the answer. Never rejects. */
export async function review(
  context: EffectContext,
  running: RunningCommand,
  { op, ...asking }: { readonly op: string } & Omit<Asking, 'name'>,
  signal: AbortSignal,
): Promise<void> {
  const left = await context.services.agent.left?.(running);
  if (left) await ask(context, left, { name: `review-${op}`, ...asking }, signal);
}

/** After a resume: asks one by one about files that commands left when the program closed. Never rejects. */
export async function reviewAgain(context: EffectContext): Promise<void> {
  const { agent, now } = context.services;
  const session = context.state.root;
  const waiting = (await agent.waiting?.().catch(() => [])) ?? [];
  for (const [at, { command, left }] of waiting.entries())
    await ask(context, left, { name: `review-${now()}-${at}`, session, command }, new AbortController().signal);
}

/**
 * Asks whether a command of the user's configuration may start although a model has changed these files. Never
 * rejects.
 */
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

/** The program that wants to connect, and the effect of a yes if it has ended meanwhile. */
type Connects = {
  readonly program: string;
  readonly job?: number | undefined;
  readonly run?: string | undefined;
  readonly again?: 'undone' | 'partly';
};

/**
 * Asks whether a program in Project mode may connect to these targets. Undefined if `gone` settles first. Never
 * rejects; anything but a clear answer is a no.
 */
export async function mayConnect(
  context: EffectContext,
  { program, job, run, again }: Connects,
  items: readonly string[],
  gone: AbortSignal,
): Promise<NetworkAnswer | undefined> {
  const name = `network-${context.services.now()}-${items.join()}`;
  const session = context.state.root;
  const answered = context.answers.of(name, gone);
  const holds = job !== undefined ? 'job' : run === undefined ? 'session' : 'run';
  const until = job === undefined ? `for this ${holds}` : `until job ${job} ends`;
  const command = job === undefined ? program : `${program} (job ${job})`;
  const asked = { about: 'network', command, items, diff: '', holds, ...(again ? { again } : {}) } as const;
  await context.dispatch({ type: 'reviewAsked', review: name, ...asked }, session).catch(() => {});
  const answer = await answered;
  const isGone = answer === undefined && gone.aborted && !context.closed;
  const said = answer?.kind === 'proceed' ? 'once' : answer?.kind === 'always' ? 'always' : 'no';
  const words = { once: 'allowed once', always: `allowed ${until}`, no: `refused ${until}` };
  const text = `network: ${items.join(', ')} ${isGone ? `was not answered: ${program} has ended` : words[said]}`;
  if (!context.closed) void context.dispatch({ type: 'reviewed', review: name, text }, session).catch(() => {});
  return isGone ? undefined : said;
}

/** Asks whether a command that gave up a connection may run again. Never rejects. */
export async function connectsAgain(
  context: EffectContext,
  connecting: Connecting | undefined,
  attempt: Attempt | undefined,
  signal: AbortSignal,
): Promise<true | undefined> {
  const gaveUp = connecting?.gaveUp();
  if (!gaveUp || signal.aborted) return undefined;
  const { program, items, run, isAllowed, settle } = gaveUp;
  // The yes came too late for the program. If some of its changes would stay, the user has not agreed to that yet.
  const again = attempt?.whole ? 'undone' : 'partly';
  const said =
    isAllowed && again === 'undone' ? 'once' : await mayConnect(context, { program, run, again }, items, signal);
  if (said !== undefined) settle(said);
  return said === 'once' || said === 'always' || undefined;
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
  // The engine is closing: the session's next program asks.
  if (context.closed) return;
  const text = await left.settle(answer?.kind === 'proceed');
  await context.dispatch({ type: 'reviewed', review: name, text }, session).catch(() => {});
}
