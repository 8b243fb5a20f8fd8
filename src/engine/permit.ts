/** Law 2: one function leads from the model to an executor, and it takes one of these. */
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
  /** The user said try. */
  tries: boolean;
};

type Promised = { readonly session: SessionId; readonly seen: Judgement; readonly targets?: Targets };

const secret = Symbol('permit');

/** A single-use right to run one action as it was judged. Only `Permits.consume` makes one. */
export class Permit {
  /** What was judged, and what runs. */
  readonly action: ReadyAction;
  readonly cwd: string;
  readonly mode: Mode;
  /** It was judged so, and the user let it run nevertheless. */
  readonly destructive: boolean;
  /** The tool's definition as it was judged. */
  readonly definition: string | undefined;
  /** What the judgement rests on, to be compared before the launch. */
  readonly basis: Basis | undefined;
  /** What it sends away, and where it connects to for that. */
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

/** Keeps verdicts and approvals outside the machine, so that a fault there alone can't launch anything. */
export class Permits {
  readonly #grants = new Map<OpId, Grant>();
  /**
   * Actions that the user approved in a wider mode, where each is judged anew first; by what the permit is bound to.
   */
  readonly #promises = new Map<string, Promised>();

  /** The gate has judged an action. A refused one gets no permit. */
  grant(examined: Examine, examination: Examination, action: ResolvedAction, basis?: Basis): void {
    if (examination.kind === 'refused' || action.kind === 'unknown') return;
    const { judgement, tool } = examination;
    const { session } = examined;
    const { destructive, leaves } = judgement;
    const bound = bindingOf(examined);
    const promise = this.#promises.get(bound);
    this.#promises.delete(bound);
    const approved = promise !== undefined && findsNoMore(promise.seen, judgement);
    // The targets that the user saw count, also where a link was put in their place since.
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
   * The user said proceed, in the wider mode of `what`, to an action that was judged as `seen` by `op`. The word counts
   * once, and for no worse finding.
   */
  promise(what: Pick<Act, 'session' | 'action' | 'cwd' | 'mode'>, seen: Judgement, op: OpId): void {
    const targets = this.#grants.get(op)?.basis?.targets;
    this.#promises.set(bindingOf(what), { session: what.session, seen, ...(targets ? { targets } : {}) });
  }

  /** The user said proceed to what was judged as `op`. */
  approve(op: OpId): void {
    const grant = this.#grants.get(op);
    if (grant) grant.approved = true;
  }

  /** The user wants what was judged as `op` to be tried. */
  approveTrial(op: OpId): void {
    const grant = this.#grants.get(op);
    if (grant) grant.tries = true;
  }

  /** What may be tried, once for each of the user's words; the judgement itself stays. */
  consumeTrial(effect: Try): ReadyAction | undefined {
    const grant = this.#grants.get(effect.judgedAs);
    if (!grant?.tries || grant.bound !== bindingOf(effect)) return undefined;
    grant.tries = false;
    return grant.action;
  }

  /** Drops the judgements of runs that are over: those that were never consumed (skipped, aborted, judged again). */
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
