/** The only way from the model to an executor or a tool (law 2). */
import type { Connecting, PreparedCommand, RunningCommand } from '../contracts/commands.ts';
import { branchMoves, type TrialChange, type TrialOutcome, type Trials } from '../contracts/trials.ts';
import { runsLater } from '../knowledge/control-files.ts';
import { type CommandResult, describeAction, notRun, withoutEnd } from '../session/action.ts';
import type { Effect } from '../session/effect.ts';
import { outputLimit } from '../session/exec-text.ts';
import type { Mode, SessionId } from '../session/ids.ts';
import type { Outcome, Refused } from '../session/phase.ts';
import type { ToApply, Trial, TrialRow } from '../session/question.ts';
import { messageOf } from '../text/errors.ts';
import { pattern } from '../text/pattern.ts';
import { plainText } from '../text/sanitize.ts';
import type { EffectContext } from './effect-context.ts';
import type { Permit } from './permit.ts';
import { connectsAgain, review } from './review.ts';

type Act = Extract<Effect, { kind: 'act' }>;

/** Consumes the permit, makes the start durable, launches, and dispatches the outcome. Never rejects. */
export async function perform(context: EffectContext, effect: Act, signal: AbortSignal): Promise<void> {
  const { op, session } = effect;
  const permit = context.permits.consume(effect);
  const end = (outcome: Outcome) => {
    const hidden = context.services.secrets.hideEchoed(effect.action, outcome);
    void keepWhole(context, session, hidden, (kept) =>
      context.dispatch({ type: 'actionEnded', op, outcome: kept }, session).catch(() => {}),
    );
  };
  if (!permit) return end(failed(effect, 'not run: it is not what was judged'));
  // The yes to sending data also allows the connection.
  if (permit.mode !== 'restricted')
    for (const target of permit.leaves?.flatMap(({ connects }) => connects) ?? []) context.services.connect?.(target);
  let ready: Ready | undefined;
  try {
    const started = context.dispatch({ type: 'actionStarted', op }, session);
    // Prepared while the journal is being written; the command starts only after both.
    if (!effect.trial) ready = prepareCommand(context, permit, effect.outside === true, signal);
    await started;
  } catch (error) {
    void ready?.then(drop);
    // An action that can't be journaled does not run, and no more money is spent on a session that can't continue.
    const text = `[aish] stopped: the session can't be saved (${messageOf(error)})`;
    for (const body of [
      { type: 'noticed', level: 'error', text },
      { type: 'aborted', unattended: true },
    ] as const)
      context.dispatch(body, context.state.root).catch(() => {});
    return end(failed(effect, `not run: the journal can't be written (${messageOf(error)})`));
  }
  if (signal.aborted) {
    void ready?.then(drop);
    return end(failed(effect, 'not run: aborted'));
  }
  try {
    const { basis } = permit;
    if (basis && !(await context.services.gate.begin(basis))) {
      const outcome = failed(effect, 'not run: a file that it rests on has changed since it was judged');
      return void context.dispatch({ type: 'actionVoided', op, outcome }, session).catch(() => {});
    }
    if (effect.trial) return await apply(context, effect, effect.trial);
    const { kind } = permit.action.runs;
    if (kind === 'delegate') {
      // The state machine reports when the sub-agent has ended.
      await context.dispatch({ type: 'spawned', parent: session, op }, `agent-${op}`);
    } else if (kind === 'command') end(await command(context, effect, permit, { signal, ready }));
    else end(await tool(context, op, permit, signal));
  } catch (error) {
    // The action may have started before the error.
    end(failed(effect, `could not run: ${messageOf(error)}`, withoutEnd));
  } finally {
    void ready?.then(drop);
  }
}

/**
 * Passes on the outcome, with a file of the full output if a small window shows only a part. Synchronously if no file
 * is needed, because the program may be closing.
 */
async function keepWhole(
  { state, services }: EffectContext,
  session: SessionId,
  outcome: Outcome,
  then: (outcome: Outcome) => Promise<void>,
): Promise<void> {
  const result = outcome.kind === 'command' ? outcome.result : undefined;
  const limit = outputLimit(state.sessions[session]?.budget?.window);
  if (outcome.kind !== 'command' || !result || result.file !== undefined || result.head.length <= limit)
    return then(outcome);
  const file = await services.saveEvictedText?.(plainText(result.head)).catch(() => undefined);
  return then(file === undefined ? outcome : { ...outcome, result: { ...result, file } });
}

/** Applies a trial's changes instead of running the action. */
async function apply(context: EffectContext, { op, session }: Act, { id, digest }: ToApply): Promise<void> {
  const { trials } = context.services;
  const { ok, text, action } = (await trials?.apply(id, digest)) ?? { ok: false, text: 'trials do not work here' };
  const number = action === undefined ? {} : { number: action };
  context.dispatch({ type: 'applied', op, ok, text, ...number }, session).catch(() => {});
}

function failed({ action, cwd }: Act, note: string, resultOf = notRun): Outcome {
  if (action.kind === 'tool') return { kind: 'tool', text: note, failed: true };
  if (action.kind === 'delegate') return { kind: 'report', text: note, failed: true, steps: 0 };
  return { kind: 'command', result: resultOf(cwd, note) };
}

async function tool(
  context: EffectContext,
  op: string,
  { action: { told, runs }, cwd, mode, destructive, definition }: Permit,
  signal: AbortSignal,
): Promise<Outcome> {
  const { progress } = context.live;
  const { secrets, tools, projectTree } = context.services;
  const onProgress = (line: string) => {
    progress.set(op, told.kind === 'tool' ? `${told.name} ${line}` : line);
    context.changed();
  };
  const options = {
    cwd: secrets.reveal(cwd),
    signal,
    onProgress,
    destructive,
    ...(mode === 'project' ? { tree: (await projectTree?.(secrets.reveal(cwd))) ?? null } : {}),
    ...(definition === undefined ? {} : { definition }),
  };
  try {
    return { kind: 'tool', ...(await tools.run(runs, options)) };
  } finally {
    progress.delete(op);
  }
}

/**
 * A prepared command, or a function that starts it if nothing could be prepared; else the reason why it can't run.
 * Never rejects.
 */
type Ready = Promise<PreparedCommand | (() => Promise<RunningCommand>) | string>;

/** Undefined if the action is not a command. Nothing of it runs yet. */
function prepareCommand(
  context: EffectContext,
  { action, cwd, mode, basis, destructive }: Permit,
  approved: boolean,
  signal: AbortSignal,
): Ready | undefined {
  const { runs, env } = action;
  if (runs.kind !== 'command') return undefined;
  const { agent, gate, secrets } = context.services;
  const make = async () => {
    const place = secrets.reveal(cwd);
    const pipes = gate.worksOverPipes(runs.command, place);
    // The session's own job runs in another sandbox, and signals from this sandbox can't reach it.
    const outside = approved || basis?.own.some((name) => /^\d+$/.test(name)) === true;
    const options = { cwd: place, mode, signal, env, pipes, outside, approved: destructive };
    return (await agent.prepare?.(runs.command, options)) ?? (() => agent.run(runs.command, options));
  };
  return make().catch((error: unknown) => messageOf(error));
}

function drop(made: Awaited<Ready>): void {
  if (typeof made === 'object') made.drop();
}

/** Starts what was prepared; returns the reason on failure. */
async function launch(ready: Ready, signal: AbortSignal): Promise<RunningCommand | string> {
  const made = await ready;
  if (typeof made === 'string') return `could not run: ${made}`;
  if (typeof made === 'function') return made().catch((error: unknown) => `could not run: ${messageOf(error)}`);
  return signal.aborted ? 'not run: aborted' : made.begin();
}

async function command(
  context: EffectContext,
  effect: Act,
  permit: Permit,
  { signal, ready }: { signal: AbortSignal; ready: Ready | undefined },
): Promise<Outcome> {
  const { op, session } = effect;
  const { cwd, mode } = permit;
  const { runs } = permit.action;
  const { gate, secrets, waitSeconds } = context.services;
  if (runs.kind !== 'command' || !ready) throw new Error('not a command');
  const running = await launch(ready, signal);
  if (typeof running === 'string') return failed(effect, running);
  const place = secrets.reveal(cwd);
  const name = describeAction(permit.action.told);
  const reviewed = (within: SessionId) => review(context, running, { op, session: within, command: name }, signal);
  // A caller does not wait for a job, and its starter may be gone when it ends.
  const asJob = () => {
    void running.result.then(() => reviewed(context.state.root));
    return adopted(context, running, permit);
  };
  if (runs.job && !signal.aborted) return asJob();
  context.live.commands.set(op, running);
  const unwatch = running.onModes(() => context.changed());
  context.changed();
  const interrupt = () => running.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  const connecting = context.services.agent.connecting?.(running);
  try {
    const result = await endWithin((runs.waitSeconds ?? waitSeconds) * 1000, running, connecting, signal);
    if (result !== 'over') {
      await reviewed(session);
      const { agent } = context.services;
      const changed = agent.attempt?.(running);
      const again = await connectsAgain(context, connecting, changed, signal);
      const inLight = agent.isLight?.(running) ?? false;
      const lacks = () =>
        inLight ? refusedByLight(result) : refusedBy(mode, result, () => gate.onlyReads(runs.command, place));
      const refused = again ? undefined : lacks();
      const attempt = refused || again ? changed : undefined;
      return {
        ...{ kind: 'command', result, ...(again ? { again } : {}) },
        ...(refused ? { refused } : {}),
        ...(attempt ? { attempt } : {}),
      };
    }
    // An abort is in progress: wait for the command's end, which is near.
    if (signal.aborted) {
      await running.result.then(() => reviewed(session));
      return { kind: 'command', result: await running.result };
    }
    return asJob();
  } finally {
    signal.removeEventListener('abort', interrupt);
    context.live.commands.delete(op);
    unwatch();
  }
}

/** The minimum interval for checking a paused clock, in ms. */
const SHORTEST_WAIT_MS = 100;

/**
 * Returns the command's result, or that it takes longer. The clock pauses while the user is asked about its
 * connections.
 */
async function endWithin(
  milliseconds: number,
  { result }: RunningCommand,
  connecting: Connecting | undefined,
  signal: AbortSignal,
): Promise<CommandResult | 'over'> {
  const began = performance.now();
  for (let left = milliseconds; ; ) {
    const wait = waiter(left);
    const ended = await Promise.race([result, wait.over]).finally(wait.clear);
    left = milliseconds + (connecting?.askedMs() ?? 0) - (performance.now() - began);
    if (ended !== 'over' || signal.aborted || left < 1) return ended;
    left = Math.max(left, SHORTEST_WAIT_MS);
  }
}

function waiter(milliseconds: number) {
  let timer: NodeJS.Timeout | undefined;
  // Node fires a timer of more than 2^31 ms at once.
  const over = new Promise<'over'>((resolve) => {
    timer = setTimeout(() => resolve('over'), Math.min(milliseconds, 2 ** 31 - 1));
  });
  return { over, clear: () => clearTimeout(timer) };
}

function noteOf(job: number, { asks }: RunningCommand): string {
  return `runs on as job ${job}${asks ? ': it waits for input that only the user can give' : ''}`;
}

function adopted(context: EffectContext, running: RunningCommand, { action, cwd, mode }: Permit): Outcome {
  const job = context.services.jobs.adopt(running, { command: describeAction(action.told), owner: 'model', mode });
  const head = running.output.lines(200).join('\n');
  const { bytes } = running.output;
  return { kind: 'job', job, result: { ...withoutEnd(cwd, noteOf(job, running)), head, bytes } };
}

// Detects from its output whether a command failed because its mode refused something (MO-9).

const NO_WRITE = /Permission denied|Operation not permitted|Read-only file system|\b(EACCES|EPERM|EROFS)\b/;
/** In Project the rest of the file system is read-only, and `.git/config` can't be replaced. */
const NO_WRITE_OUTSIDE =
  /Read-only file system|\bEROFS\b|could not (lock|write) config file|config\.lock|Device or resource busy|unable to create temporary object directory/;
const NO_NETWORK =
  /[Nn]etwork is unreachable|\bENETUNREACH\b|Temporary failure in name resolution|Could not resolve host|\b(EAI_AGAIN|ENOTFOUND)\b|getaddrinfo|UnknownHostException|\bno such host\b/;

/**
 * Undefined: no sign of a refusal. Used only for offers to the user, because a program can print anything.
 * @param reads whether the gate's tables say that the command changes nothing: then the mode did not cause the
 * refusal
 */
function refusedBy(mode: Mode, { exit, head, tail }: CommandResult, reads: () => boolean): Refused | undefined {
  if (mode === 'unrestricted' || exit === 0 || reads()) return undefined;
  const text = `${head}\n${tail}`;
  if ((mode === 'project' ? NO_WRITE_OUTSIDE : NO_WRITE).test(text)) return 'write';
  return NO_NETWORK.test(text) ? 'network' : undefined;
}

/**
 * What the light sandbox refuses: gaining rights, mounts, signals and traces of other processes, new terminals. For
 * root, a refused file can only come from the sandbox.
 */
const NO_LIGHT = pattern(
  String.raw`
    no\x20new\x20privileges|Operation\x20not\x20permitted|\bEPERM\b|effective\x20uid\x20is\x20not\x200
    |setuid\x20root|must\x20be\x20(superuser|root)|only\x20root\x20can|out\x20of\x20pty|pseudo-?terminal|forkpty
    |openpty|/dev/(pts|tty|ptmx)\S*:?\x20.*Permission\x20denied
  `,
  'i',
);
const NO_FILE = /Permission denied|\bEACCES\b/i;

/** Undefined: no sign of a refusal. Used only for offers, as above. */
function refusedByLight({ exit, head, tail }: CommandResult): Refused | undefined {
  if (exit === 0) return undefined;
  const text = `${head}\n${tail}`;
  return NO_LIGHT.test(text) || (process.getuid?.() === 0 && NO_FILE.test(text)) ? 'sandbox' : undefined;
}

// Trials (HA-10, EF-4): an action runs in an overlay, and its changes are reported to the state machine.

type Try = Extract<Effect, { kind: 'try' }>;

/** The most paths that are listed; the others are counted. */
const MAX_ROWS = 300;
const MAX_DIFF_CHARS = 20_000;
/** Runs the action in a trial. Always ends with `tried`; never rejects. */
export async function tryAction(context: EffectContext, effect: Try, signal: AbortSignal): Promise<void> {
  const { op, session, action } = effect;
  const tell = (trial: Trial, result: CommandResult) => {
    const hidden = context.services.secrets.hideEchoed(action, { kind: 'command', result } as const);
    void context.dispatch({ type: 'tried', op, trial, result: hidden.result }, session).catch(() => {});
  };
  const ready = context.permits.consumeTrial(effect);
  const { trials, secrets, projectTree } = context.services;
  const cwd = secrets.reveal(effect.cwd);
  const inProject = effect.mode === 'project';
  const fails = (why: string) => tell({ kind: 'cannotTell', why }, withoutEnd(effect.cwd, `not tried: ${why}`));
  if (!ready || !trials || ready.runs.kind !== 'command') return fails('it is not what was judged');
  try {
    const running = await trials.start(ready.runs.command, {
      cwd,
      signal,
      env: ready.env,
      mode: inProject ? 'project' : 'unrestricted',
    });
    context.live.commands.set(op, running.command);
    const unwatch = running.command.onModes(() => context.changed());
    context.changed();
    const interrupt = () => running.command.interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    try {
      const [result, outcome] = await Promise.all([running.command.result, running.outcome]);
      // The caller no longer waits for the trial, so it is discarded.
      if (signal.aborted && outcome.kind === 'changes') await trials.discard(outcome.id);
      if (signal.aborted) return tell({ kind: 'cannotTell', why: 'it was stopped' }, result);
      tell(await describeTrial(trials, outcome, inProject ? await projectTree?.(cwd) : undefined), result);
    } finally {
      signal.removeEventListener('abort', interrupt);
      context.live.commands.delete(op);
      unwatch();
    }
  } catch (error) {
    fails(messageOf(error));
  }
}

/** Discards a trial. Ends with `discarded`. */
export async function discardTrial(
  context: EffectContext,
  { session, trial }: Extract<Effect, { kind: 'discardTrial' }>,
): Promise<void> {
  await context.services.trials?.discard(trial).catch(() => {});
  await context.dispatch({ type: 'discarded', trial }, session).catch(() => {});
}

/**
 * Converts a trial's outcome for the state machine.
 * @param tree in Project: what an apply may change
 */
async function describeTrial(
  trials: Pick<Trials, 'diff'>,
  outcome: TrialOutcome,
  tree: string | undefined,
): Promise<Trial> {
  if (outcome.kind === 'cannotTell') {
    const { why, exitCode } = outcome;
    return { kind: 'cannotTell', why, ...(exitCode === undefined ? {} : { exit: exitCode }) };
  }
  const { id, exitCode: exit, changes, deletedBytes, writtenBytes, digest, doubts, outside } = outcome;
  const diff = await trials.diff(id).catch((error: unknown) => `the diff can't be shown: ${messageOf(error)}`);
  const count = (...kinds: readonly TrialChange['kind'][]) => changes.filter(({ kind }) => kinds.includes(kind)).length;
  const beyond = beyondOf(changes, outside, tree);
  return {
    kind: 'changes',
    id,
    exit,
    counts: { deleted: count('deleted'), changed: count('changed', 'mode'), created: count('created') },
    deletedBytes,
    writtenBytes,
    rows: changes.slice(0, MAX_ROWS).map(rowOf),
    more: Math.max(0, changes.length - MAX_ROWS),
    digest,
    doubts,
    moves: branchMoves(diff),
    diff: diff.length > MAX_DIFF_CHARS ? `${diff.slice(0, MAX_DIFF_CHARS)}\n… the rest is left out` : diff,
    ...(beyond === undefined ? {} : { beyond }),
  };
}

function rowOf({ path, kind, type, bytes, shared }: TrialChange): TrialRow {
  return { path, kind, type, bytes, ...(shared ? { shared: true } : {}) };
}

/**
 * Returns why the list must not be applied: a real run does more or less. Project mode writes only its own tree, and
 * no git files there that run later.
 */
function beyondOf(
  changes: readonly TrialChange[],
  [outside]: readonly string[],
  tree: string | undefined,
): string | undefined {
  if (outside !== undefined) return `a real run would also write ${outside}, which a trial can’t`;
  if (tree === undefined) return undefined;
  for (const { path } of changes) {
    if (path !== tree && !path.startsWith(`${tree}/`)) return `${path} lies outside the project`;
    const inside = path.slice(tree.length + 1);
    if (/(^|\/)\.git\/(config|hooks)(\/|$)/.test(inside) || (runsLater(inside) && !/(^|\/)\.git(\/|$)/.test(inside)))
      return `${inside} is out of reach in Project mode`;
  }
  return undefined;
}
