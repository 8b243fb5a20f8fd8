/** The transcript: what the user sees, as entries in order. A fold of `show` and `hide` effects, mostly appended. */
import type { Effect } from '../session/effect.ts';
import type { Entry } from '../session/entry.ts';
import type { SessionEvent } from '../session/event.ts';
import type { SessionId } from '../session/ids.ts';
import { reduce } from '../session/reduce.ts';
import { emptyState, type State } from '../session/state.ts';
import type { OwnedTurns } from '../session/transition.ts';

/**
 * One entry with its key; `version` increases when it or one of its children is replaced.
 * The children are a sub-agent's work, as a transcript of its own.
 */
export type TranscriptItem = {
  readonly key: string;
  readonly version: number;
  readonly entry: Entry;
  readonly children?: Transcript;
};

/** The key prefix of entries outside the session, such as a failure to save it. */
const BESIDE = 'local';

export function keyBeside(number: number): string {
  return `${BESIDE}${number}`;
}

export function isBeside({ key }: TranscriptItem): boolean {
  return key.startsWith(BESIDE);
}

export class Transcript {
  #entries: TranscriptItem[] = [];
  readonly #at = new Map<string, number>();
  /** Increases with every change. */
  version = 0;

  /** The live list: read-only for callers, changed in place. */
  get entries(): readonly TranscriptItem[] {
    return this.#entries;
  }

  apply(effect: Effect): void {
    if (effect.kind === 'show' && effect.within !== undefined) this.#showChild(effect.within, effect.key, effect.entry);
    else if (effect.kind === 'show') this.#show(effect.key, effect.entry);
    else if (effect.kind === 'hide') this.#hide(effect.key);
  }

  /** Shows a child of an entry; not if that entry is gone (the screen was cleared). */
  #showChild(within: string, key: string, entry: Entry): void {
    const at = this.#at.get(within) ?? -1;
    const outer = this.#entries[at];
    if (!outer) return;
    this.version += 1;
    const children = outer.children ?? new Transcript();
    children.#show(key, entry);
    this.#entries[at] = { ...outer, version: outer.version + 1, children };
  }

  #show(key: string, entry: Entry): void {
    if (entry.kind === 'resumed' && !this.#makesRoomForResumed()) return;
    this.version += 1;
    const at = this.#at.get(key);
    if (at === undefined) {
      this.#at.set(key, this.#entries.length);
      this.#entries.push({ key, version: 0, entry });
      return;
    }
    const old = this.#entries[at];
    // A queued line moves to the end when it is delivered.
    if (old?.entry.kind === 'user' && old.entry.queued && entry.kind === 'user' && at < this.#entries.length - 1) {
      this.#hide(key);
      this.#show(key, entry);
    } else this.#entries[at] = { ...old, key, version: (old?.version ?? 0) + 1, entry };
  }

  /** Merges a mark of resuming with one directly before it, and shows none in an empty transcript. */
  #makesRoomForResumed(): boolean {
    const last = this.#entries.at(-1);
    if (last?.entry.kind === 'resumed') this.#hide(last.key);
    return this.#entries.some(({ entry }) => entry.kind !== 'notice');
  }

  #hide(key: string): void {
    const at = this.#at.get(key);
    if (at === undefined) return;
    this.version += 1;
    this.#entries = this.#entries.filter((_, index) => index !== at);
    this.#at.clear();
    for (const [index, item] of this.#entries.entries()) this.#at.set(item.key, index);
  }

  /** Clears the screen's entries; the conversation stays. */
  clear(): void {
    this.version += 1;
    this.#entries = [];
    this.#at.clear();
  }
}

// Replays a journal: state and transcript as they were, without carrying out anything (RE-3).

/** The events per turn of the event loop: some milliseconds of work. */
const EVENTS_PER_TURN = 500;

export type Folded = { readonly state: State; readonly transcript: Transcript };

/** A session before its first event. */
export function nothingFolded(root: SessionId): Folded {
  return { state: emptyState(root), transcript: new Transcript() };
}

/** Folds all events at once. */
export function foldEvents(events: Iterable<SessionEvent>, root: SessionId): Folded {
  const fold = folding(events, root);
  for (;;) {
    const step = fold.next();
    if (step.done) return step.value;
  }
}

/** @param turn lets key presses through between two pieces of work */
export async function foldInPieces(
  events: Iterable<SessionEvent>,
  root: SessionId,
  turn: () => Promise<void>,
): Promise<Folded> {
  const fold = folding(events, root);
  for (;;) {
    const step = fold.next();
    if (step.done) return step.value;
    await turn();
  }
}

/** Yields between pieces of work. */
function* folding(events: Iterable<SessionEvent>, root: SessionId): Generator<undefined, Folded> {
  const owned: OwnedTurns = new Map();
  const transcript = new Transcript();
  let state = emptyState(root);
  let left = EVENTS_PER_TURN;
  for (const event of events) {
    const [next, effects] = reduce(state, event, owned);
    state = next;
    for (const effect of effects) transcript.apply(effect);
    left -= 1;
    if (left > 0) continue;
    left = EVENTS_PER_TURN;
    yield;
  }
  return { state, transcript };
}
