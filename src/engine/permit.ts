/** Law 2: one function leads from the model to an executor, and it takes one of these. */
import type { Action, Examination } from '../session/action.ts';
import type { Effect } from '../session/effect.ts';
import type { Mode, OpId, SessionId } from '../session/ids.ts';
import type { ReadyAction, RestoredAction } from './services.ts';

type Examine = Extract<Effect, { kind: 'examine' }>;
type Act = Extract<Effect, { kind: 'act' }>;
type Issued = {
  readonly session: SessionId;
  readonly bound: string;
  readonly destructive: boolean;
  readonly definition: string | undefined;
  readonly restored: ReadyAction;
  approved: boolean;
};

const secret = Symbol('permit');

/** A single-use right to run one action as it was judged. Only `Permits.redeem` makes one. */
export class Permit {
  readonly action: Action;
  readonly cwd: string;
  readonly mode: Mode;
  /** It was judged so, and the user let it run nevertheless. */
  readonly destructive: boolean;
  /** The tool's definition as it was judged. */
  readonly definition: string | undefined;
  /** What runs: the true text that was judged. */
  readonly restored: ReadyAction;

  constructor(key: symbol, { action, cwd, mode }: Act, { destructive, definition, restored }: Issued) {
    if (key !== secret) throw new Error('a permit is made by redeeming a judgement');
    this.action = action;
    this.cwd = cwd;
    this.mode = mode;
    this.destructive = destructive;
    this.definition = definition;
    this.restored = restored;
  }
}

/** Keeps what the gate and the user said, beside the machine, so that a fault there alone can't launch anything. */
export class Permits {
  readonly #issued = new Map<OpId, Issued>();

  /** The gate has judged an action. A refused one gets no permit. */
  issue(examined: Examine, examination: Examination, restored: RestoredAction): void {
    if (examination.kind === 'refused' || restored.kind === 'unknown') return;
    const { judgement, tool } = examination;
    const { session } = examined;
    const { destructive } = judgement;
    const issued = { session, destructive, definition: tool?.definition, restored, approved: false };
    this.#issued.set(examined.op, { bound: bindingOf(examined), ...issued });
  }

  /** The user said proceed to what was judged as `op`. */
  approve(op: OpId): void {
    const issued = this.#issued.get(op);
    if (issued) issued.approved = true;
  }

  /** Judgements that nobody redeems any more (skipped, aborted, judged anew) go with the run that they were for. */
  keepOnly(runs: (session: SessionId) => boolean): void {
    for (const [op, { session }] of this.#issued) if (!runs(session)) this.#issued.delete(op);
  }

  /** How many judgements may still be redeemed. */
  get size(): number {
    return this.#issued.size;
  }

  /** Trades a judgement for the right to act, once; undefined where it does not cover this very action. */
  redeem(act: Act): Permit | undefined {
    const issued = this.#issued.get(act.judgedAs);
    this.#issued.delete(act.judgedAs);
    if (!issued || issued.bound !== bindingOf(act)) return undefined;
    if (issued.destructive && !issued.approved) return undefined;
    return new Permit(secret, act, issued);
  }
}

function bindingOf({ session, action, cwd, mode }: Examine | Act): string {
  return JSON.stringify([session, action, cwd, mode]);
}
