/** Trials (HA-10, EF-4): an action runs where nothing of it stays, and what it would change is told to the machine. */

import type { TrialChange, TrialOutcome, Trials } from '../contracts/trials.ts';
import { runsLater } from '../knowledge/control-files.ts';
import { type CommandResult, withoutEnd } from '../session/action.ts';
import type { Effect } from '../session/effect.ts';
import type { Trial, TrialRow } from '../session/tried.ts';
import { messageOf } from '../text/errors.ts';
import type { EffectContext } from './effect-context.ts';

type Try = Extract<Effect, { kind: 'try' }>;

/** Paths that are told; the others are counted. */
const MAX_ROWS = 300;
const MAX_DIFF_CHARS = 20_000;
/** A branch that moves, in a unified diff of its file. */
const MOVED =
  /^--- (?:.*\/)?\.git\/refs\/(heads|tags)\/(.+?)(?:\t.*)?\n\+\+\+ .*\n@@.*\n(?:-([0-9a-f]{7})[0-9a-f]*\n)?(?:\\.*\n)?(?:\+([0-9a-f]{7}))?/gm;

/** Runs the action in a trial. Ends with `tried`, whatever happens; never rejects. */
export async function tryAction(context: EffectContext, effect: Try, signal: AbortSignal): Promise<void> {
  const { op, session, action } = effect;
  const tell = (trial: Trial, result: CommandResult) => {
    const hidden = context.services.secrets.hideEchoed(action, { kind: 'command', result } as const);
    void context.dispatch({ type: 'tried', op, trial, result: hidden.result }, session).catch(() => {});
  };
  const ready = context.permits.consumeTrial(effect);
  const { trials, secrets, projectTree } = context.services;
  const cwd = secrets.reveal(effect.cwd);
  const fails = (why: string) => tell({ kind: 'cannotTell', why }, withoutEnd(effect.cwd, `not tried: ${why}`));
  if (!ready || !trials || ready.runs.kind !== 'command') return fails('it is not what was judged');
  try {
    const running = await trials.start(ready.runs.command, { cwd, signal, env: ready.env });
    context.live.commands.set(op, running.command);
    const unwatch = running.command.onModes(() => context.changed());
    context.changed();
    const interrupt = () => running.command.interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    try {
      const [result, outcome] = await Promise.all([running.command.result, running.outcome]);
      // Nobody waits for it any more.
      if (signal.aborted && outcome.kind === 'changes') await trials.discard(outcome.id);
      if (signal.aborted) return tell({ kind: 'cannotTell', why: 'it was stopped' }, result);
      tell(await described(trials, outcome, effect.mode === 'project' ? await projectTree?.(cwd) : undefined), result);
    } finally {
      signal.removeEventListener('abort', interrupt);
      context.live.commands.delete(op);
      unwatch();
    }
  } catch (error) {
    fails(messageOf(error));
  }
}

/** Throws a trial away. Ends with `discarded`. */
export async function discardTrial(
  context: EffectContext,
  { session, trial }: Extract<Effect, { kind: 'discardTrial' }>,
): Promise<void> {
  await context.services.trials?.discard(trial).catch(() => {});
  await context.dispatch({ type: 'discarded', trial }, session).catch(() => {});
}

/**
 * What the machine is told of a trial's outcome.
 * @param tree in Project: what may be changed by an apply
 */
async function described(
  trials: Pick<Trials, 'diff'>,
  outcome: TrialOutcome,
  tree: string | undefined,
): Promise<Trial> {
  if (outcome.kind === 'cannotTell') {
    const { why, exitCode } = outcome;
    return { kind: 'cannotTell', why, ...(exitCode === undefined ? {} : { exit: exitCode }) };
  }
  const { id, exitCode: exit, changes, deletedBytes, writtenBytes, digest, doubts } = outcome;
  const diff = await trials.diff(id).catch((error: unknown) => `the diff can't be shown: ${messageOf(error)}`);
  const count = (...kinds: readonly TrialChange['kind'][]) => changes.filter(({ kind }) => kinds.includes(kind)).length;
  const beyond = tree === undefined ? undefined : beyondOf(changes, tree);
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
    moves: [...diff.matchAll(MOVED)].map(([, kind, name, from = 'none', to = 'none']) => {
      return `${kind === 'heads' ? 'git' : 'tag'} ${name}: ${from} → ${to}`;
    }),
    diff: diff.length > MAX_DIFF_CHARS ? `${diff.slice(0, MAX_DIFF_CHARS)}\n… the rest is left out` : diff,
    ...(beyond === undefined ? {} : { beyond }),
  };
}

function rowOf({ path, kind, type, bytes, shared }: TrialChange): TrialRow {
  return { path, kind, type, bytes, ...(shared ? { shared: true } : {}) };
}

/** Project mode writes its own tree, and there nothing of git's that runs later. */
function beyondOf(changes: readonly TrialChange[], tree: string): string | undefined {
  for (const { path } of changes) {
    if (path !== tree && !path.startsWith(`${tree}/`)) return `${path} lies outside the project`;
    const inside = path.slice(tree.length + 1);
    if (/(^|\/)\.git\/(config|hooks)(\/|$)/.test(inside) || (runsLater(inside) && !/(^|\/)\.git(\/|$)/.test(inside)))
      return `${inside} is out of reach in Project mode`;
  }
  return undefined;
}
