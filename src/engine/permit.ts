/** Law 2: only one function leads from the model to an executor, and it requires a permit. */
import type { Basis, Targets } from '../contracts/gate.ts';
import { type Examination, findsNoMore, type Judgement } from '../session/action.ts';
import type { Effect } from '../session/effect.ts';
import type { Mode, OpId, SessionId } from '../session/ids.ts';
import type { ReadyAction, ResolvedAction } from './resolved-action.ts';

type Examine = Extract<Effect, { kind: 'examine' }>;
type Act = Extract<Effect, { kind: 'act' }>;
type Try = Extract<Effect, { kind: 'try' }>;
type Grant = {
  readonly session: SessionId;
  readonly bound: string;
  readonly destructive: boolean;
  readonly definition: string | undefined;
  readonly basis: Basis | undefined;
  readonly leaves: Judgement['leaves'];
  readonly action: ReadyAction;
  approved: boolean;
  /** Whether the user chose to try the action. */
  tries: boolean;
};

type Promised = { readonly session: SessionId; readonly seen: Judgement; readonly targets?: Targets };

const secret = Symbol('permit');

/** A single-use right to run one action as it was judged. Only `Permits.consume` creates one. */
export class Permit {
  /** The judged action, which runs. */
  readonly action: ReadyAction;
  readonly cwd: string;
  readonly mode: Mode;
  /** Whether the action was judged destructive; then the user has approved it. */
  readonly destructive: boolean;
  /** The tool's definition at the judgement. */
  readonly definition: string | undefined;
  /** The files on which the judgement depends, compared again before the launch. */
  readonly basis: Basis | undefined;
  /** The data it sends away, and the connections for that. */
  readonly leaves: Judgement['leaves'];

  constructor(key: symbol, { cwd, mode }: Act, { action, destructive, definition, basis, leaves }: Grant) {
    if (key !== secret) throw new Error('a permit is made by consuming a judgement');
    this.action = action;
    this.cwd = cwd;
    this.mode = mode;
    this.destructive = destructive;
    this.definition = definition;
    this.basis = basis;
    this.leaves = leaves;
  }
}

/** Stores verdicts and approvals outside the state machine, so that an error there alone can't launch anything. */
export class Permits {
  readonly #grants = new Map<OpId, Grant>();
  /**
   * Actions that the user approved in a wider mode, where each action is judged again first; the key is what the permit
   * is bound to.
   */
  readonly #promises = new Map<string, Promised>();

  /** Stores the gate's judgement on an action. A refused action gets no permit. */
  grant(examined: Examine, examination: Examination, action: ResolvedAction, basis?: Basis): void {
    if (examination.kind === 'refused' || action.kind === 'unknown') return;
    const { judgement, tool } = examination;
    const { session } = examined;
    const { destructive, leaves } = judgement;
    const bound = bindingOf(examined);
    const promise = this.#promises.get(bound);
    this.#promises.delete(bound);
    const approved = promise !== undefined && findsNoMore(promise.seen, judgement);
    // Compare with the targets that the user saw, in case one was replaced by a link since.
    const targets = promise?.targets;
    const rests = targets ? { ...{ reads: [], own: [], writes: [] }, ...basis, targets } : basis;
    const grant = {
      session,
      destructive,
      definition: tool?.definition,
      basis: rests,
      leaves,
      action,
      approved,
      tries: false,
    };
    this.#grants.set(examined.op, { bound, ...grant });
  }

  /**
   * The user approved, for the wider mode of `what`, an action judged as `seen` in `op`. The approval counts once,
   * and not for a worse finding.
   */
  promise(what: Pick<Act, 'session' | 'action' | 'cwd' | 'mode'>, seen: Judgement, op: OpId): void {
    const targets = this.#grants.get(op)?.basis?.targets;
    this.#promises.set(bindingOf(what), { session: what.session, seen, ...(targets ? { targets } : {}) });
  }

  /** Records that the user approved the action judged in `op`. */
  approve(op: OpId): void {
    const grant = this.#grants.get(op);
    if (grant) grant.approved = true;
  }

  /** Records that the user wants to try the action judged in `op`. */
  approveTrial(op: OpId): void {
    const grant = this.#grants.get(op);
    if (grant) grant.tries = true;
  }

  /** Returns the action to try, once per approval; the judgement itself stays. */
  consumeTrial(effect: Try): ReadyAction | undefined {
    const grant = this.#grants.get(effect.judgedAs);
    if (!grant?.tries || grant.bound !== bindingOf(effect)) return undefined;
    grant.tries = false;
    return grant.action;
  }

  /** Drops unused judgements of ended runs (skipped, aborted, judged again). */
  retain(runs: (session: SessionId) => boolean): void {
    for (const [op, { session }] of this.#grants) if (!runs(session)) this.#grants.delete(op);
    for (const [bound, { session }] of this.#promises) if (!runs(session)) this.#promises.delete(bound);
  }

  /** How many judgements can still be consumed. */
  get size(): number {
    return this.#grants.size;
  }

  /** Exchanges a judgement for the right to act, once. Undefined: it does not cover this action. */
  consume(act: Act): Permit | undefined {
    const grant = this.#grants.get(act.judgedAs);
    this.#grants.delete(act.judgedAs);
    if (!grant || grant.bound !== bindingOf(act)) return undefined;
    if (grant.destructive && !grant.approved) return undefined;
    return new Permit(secret, act, grant);
  }
}

function bindingOf({ session, action, cwd, mode }: Pick<Act, 'session' | 'action' | 'cwd' | 'mode'>): string {
  return JSON.stringify([session, action, cwd, mode]);
}
