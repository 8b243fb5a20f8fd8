import type { Services } from '../contracts/services.ts';
import type { EventBody } from '../session/event.ts';
import type { OpId, SessionId } from '../session/ids.ts';
import type { State } from '../session/state.ts';
import type { Answers } from './answers.ts';
import type { Live } from './live.ts';
import type { Permits } from './permit.ts';
import type { ResolvedActions } from './resolved-action.ts';

/** What carrying out needs of the engine. */
export type EffectContext = {
  readonly services: Services;
  readonly state: State;
  readonly live: Live;
  readonly permits: Permits;
  readonly actions: ResolvedActions;
  readonly answers: Answers;
  readonly controllers: Map<OpId, AbortController>;
  /** Closing answers and runs nothing. */
  readonly closed: boolean;
  /** Tells the screen that a live stream came or went. */
  changed(): void;
  /** Resolves when everything so far is on disk, or can't be written. */
  saved(): Promise<void>;
  dispatch(body: EventBody, session?: SessionId): Promise<void>;
};
