/** The screen’s own state, separate from the engine’s: one value, from which every component selects. */
import type { AtWord, Completion } from '../../contracts/lines.ts';

import type { SetupOffer } from '../../contracts/models.ts';
import type { SessionMoment } from '../../contracts/store.ts';
import { createEditor, type EditorState } from '../editor/state.ts';
import type { ViState } from '../editor/vi.ts';
import type { Pending } from '../keymap/resolver.ts';
import type { FormUi } from './halt/form.ts';

export type Size = { readonly columns: number; readonly rows: number };

/**
 * An item of a list. `run`: what choosing it does, unless that is to put its text into the prompt; `ending`: how a
 * session ended.
 */
export type PanelItem = Completion & {
  /** The kind of thing, said once for those that follow each other. */
  readonly group?: string;
  /** The key that does the same. */
  readonly key?: string;
  readonly run?: () => void;
  readonly ending?: () => Promise<readonly SessionMoment[]>;
};

/** A panel over the transcript, or a mode that took the keyboard from the prompt. */
export type Panel =
  | { readonly kind: 'none' }
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'goal'; readonly text: string }
  | { readonly kind: 'confirmAbort'; readonly focus: number }
  /** Completions of the word before the cursor, or lines of the history that match the draft. */
  | {
      readonly kind: 'choices';
      readonly of: 'completion' | 'history' | 'everything' | 'sessions' | 'setup' | 'commands';
      readonly query: string;
      readonly items: readonly PanelItem[];
      /** -1: none is selected, and keys go to the prompt. */
      readonly index: number;
      /** Searches with another query; without this function the history is searched. */
      readonly find?: (query: string) => readonly PanelItem[];
      /** The start of the completed word. */
      readonly start: number;
    }
  /** The keyboard moves the transcript; `note` is the result of the last search. */
  | { readonly kind: 'scroll'; readonly note: string }
  /** The user types a search. */
  | {
      readonly kind: 'find';
      readonly text: string;
      readonly note: string;
      /** The entry whose lines are filtered instead. */
      readonly filter?: string;
    };

export const NO_PANEL: Panel = { kind: 'none' };

/** The user's state of the open question. */
export type QuestionUi = {
  readonly id: string;
  /** Index of the button with the focus. */
  readonly focus: number;
  /** Whether keys can answer the question yet. */
  readonly armed: boolean;
  /** A key came too early; the hint explains that. */
  readonly hurried: boolean;
  /** The first line of the action that is shown. */
  readonly top: number;
  /** The command being edited (HA-7), or the current field of a form. */
  readonly edit?: string;
  /** Whether the field contains the note of a skip instead of the command. */
  readonly noting?: boolean;
  /** Whether a long command is shown in full, not as excerpts. */
  readonly whole?: boolean;
  /** The help is shown in place of the question. */
  readonly help?: boolean;
  /** The diff of a trial is shown in place of the list. */
  readonly diff?: boolean;
  /** How far down the lines were on screen without a gap, at this width. */
  readonly seen?: Seen;
  /** The texts of a form's fields. */
  readonly form?: FormUi;
};

/** The number of lines, from the first on, that were on a screen of this many columns. */
type Seen = { readonly columns: number; readonly to: number };

/** The models to choose from on the start screen. */
export type Offers = {
  readonly items: readonly SetupOffer[];
  readonly index: number;
  readonly testing?: boolean;
  /** Why the model that was tested last can't be used, and what to do. */
  readonly problem?: string;
};

export type Ui = {
  readonly size: Size;
  readonly editor: EditorState;
  /** Cells of the rail at the right; 0 without a rail. */
  readonly rail: number;
  /** The user has hidden the rail. */
  readonly railHidden?: boolean;
  /** The user switched the line between shell and question (IN-3). */
  readonly flip?: 'shell' | 'ai' | undefined;
  /** The state of vi's keys, where they are used; undefined in insert mode. */
  readonly vi?: ViState | undefined;
  /** A line that could be either, about which Enter has asked once (IN-9). */
  readonly asked?: string | undefined;
  /** Enter makes the line the goal of a run (NO-1). */
  readonly goalNext: boolean;
  readonly keyboard: 'prompt' | 'program';
  readonly panel: Panel;
  readonly question?: QuestionUi | undefined;
  /** An unfinished key sequence, with the keys that may follow. */
  readonly pending?: Pending | undefined;
  /** The same sequence, once its list is shown. */
  readonly which?: Pending | undefined;
  /** The files that the `@` words of the line refer to. */
  readonly attached?: readonly AtWord[] | undefined;
  /** The models to choose from on the start screen. */
  readonly offers?: Offers | undefined;
  /** One line for the status bar until the next key. */
  readonly hint?: string | undefined;
};

export function initialUi(size: Size): Ui {
  return { size, rail: 0, editor: createEditor(), goalNext: false, keyboard: 'prompt', panel: NO_PANEL };
}

/** A value with listeners, as React's useSyncExternalStore needs it. */
export type Store<T> = {
  get(): T;
  /** Sets the value; listeners are called only when it differs. */
  set(value: T): void;
  update(change: Partial<T>): void;
  subscribe(listener: () => void): () => void;
};

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const store: Store<T> = {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    update(change) {
      const keys = Object.keys(change) as (keyof T)[];
      if (keys.some((key) => !Object.is(change[key], value[key]))) store.set({ ...value, ...change });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return store;
}
