/** The one filter between secrets and their handles (SE-1, SE-2, SE-3). */
import type { Action } from '../session/action.ts';
import type { Outcome } from '../session/phase.ts';

/** An action with its handles resolved: as the gate must see it, and as it runs. */
export type RestoredAction =
  | {
      readonly kind: 'ready';
      readonly judged: Action;
      readonly runs: Action;
      readonly env: Readonly<Record<string, string>>;
      /** Why the user must be asked: a secret would stand where it could run as code. */
      readonly unsafe?: string;
    }
  /** It holds a handle that nothing here resolves; `text` tells the model. */
  | { readonly kind: 'unknown'; readonly text: string };

/** Whether a secret was first seen as a piece of an action's text, with what it escapes or expands, or as data. */
export type SeenIn = 'action' | 'data';

/** A secret that was found; never its value. */
export type SecretRow = { readonly handle: string; readonly kind: string; readonly where: string };

/** Everything that is kept or that leaves has passed `hide`. */
export type Secrets = {
  /**
   * The same value with handles in place of secrets: a text, or every text within. It is data unless said otherwise.
   */
  hide<T>(value: T, where?: string, seenIn?: SeenIn): T;
  /** Searches a long text a piece a turn, so that the next `hide` of the same text costs no long one. */
  lookThrough(text: string): Promise<void>;
  /** The true texts again, for the user's own screen; handles of an earlier process stay. */
  reveal<T>(value: T): T;
  /**
   * `written`: the action as it was written, in which handles are only what its writer was given. Undefined: it comes
   * from an earlier process, and no handle is resolved.
   */
  restore(told: Action, written: Action | undefined): RestoredAction;
  /** The outcome of an action, with handles again where what the action was given stands in it. */
  hideEchoed<T extends Outcome>(action: Action, outcome: T): T;
  /** Somebody works in this directory: its credential files count from now on. */
  entered(cwd: string): void;
  /** What was found so far. */
  list(): readonly SecretRow[];
};
