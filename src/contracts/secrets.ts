/** The only conversion between secrets and handles (SE-1, SE-2, SE-3). */
import type { Action } from '../session/action.ts';
import type { Outcome } from '../session/phase.ts';

/** An action with its handles resolved: as the gate judges it, and as it runs. */
export type RestoredAction =
  | {
      readonly kind: 'ready';
      readonly judged: Action;
      readonly runs: Action;
      readonly env: Readonly<Record<string, string>>;
      /** Why the user must be asked: a secret could run as code. */
      readonly unsafe?: string;
    }
  /** The action contains an unknown handle; `text` explains that to the model. */
  | { readonly kind: 'unknown'; readonly text: string };

/** Whether a secret was first seen inside an action's text, with its escapes, or as data. */
export type SeenIn = 'action' | 'data';

/** A secret that was found; never its value. */
export type SecretRow = { readonly handle: string; readonly kind: string; readonly where: string };

/** Everything that is stored or sent passes through `hide`. */
export type Secrets = {
  /** Returns the value with handles instead of secrets: a text, or every text inside. Counts as data by default. */
  hide<T>(value: T, where?: string, seenIn?: SeenIn): T;
  /** Searches a long text in pieces, so that the next `hide` of it is fast. */
  lookThrough(text: string): Promise<void>;
  /** Restores true texts for the user's own screen; handles of an earlier process stay. */
  reveal<T>(value: T): T;
  /**
   * Returns the action with real values. `written`: the action as written; only handles in it that its writer was given
   * are resolved. Undefined: it comes from an earlier process, and no handle is resolved.
   */
  restore(told: Action, written: Action | undefined): RestoredAction;
  /** Returns an action's outcome with handles again for the secrets that the action was given. */
  hideEchoed<T extends Outcome>(action: Action, outcome: T): T;
  /** A user or agent works in this directory: its credential files count from now on. */
  entered(cwd: string): void;
  /** The secrets found so far. */
  list(): readonly SecretRow[];
};
