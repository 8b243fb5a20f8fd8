/** What the screen itself knows beside the engine's state: one value, from which every component selects. */
import type { AtWord, Completion } from '../../contracts/lines.ts';

import type { SessionMoment } from '../../contracts/store.ts';
import { createEditor, type EditorState } from '../editor/state.ts';
import type { ViState } from '../editor/vi.ts';
import type { Pending } from '../keymap/resolver.ts';
import type { FormUi } from './halt/form.ts';

export type Size = { readonly columns: number; readonly rows: number };

/**
 * One of a list. `run`: what choosing it does, where that is not to put its text into the prompt; `ending`: of a
 * session, how it ended.
 */
export type PanelItem = Completion & {
  readonly run?: () => void;
  readonly ending?: () => Promise<readonly SessionMoment[]>;
};

/** What lies over the transcript, or took the keyboard from the prompt. */
export type Panel =
  | { readonly kind: 'none' }
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'goal'; readonly text: string }
  | { readonly kind: 'confirmAbort'; readonly focus: number }
  /** Completions of the word before the cursor, or lines of the history that match what is typed. */
  | {
      readonly kind: 'choices';
      readonly of: 'completion' | 'history' | 'everything' | 'sessions' | 'setup';
      readonly query: string;
      readonly items: readonly PanelItem[];
      readonly index: number;
      /** Looks again for another query; without it the history is looked through. */
      readonly find?: (query: string) => readonly PanelItem[];
      /** Where the completed word begins. */
      readonly start: number;
    }
  /** The keyboard moves the transcript; `note` says what came of the last search. */
  | { readonly kind: 'scroll'; readonly note: string }
  /** A search is being typed. */
  | {
      readonly kind: 'find';
      readonly text: string;
      readonly note: string;
      /** The entry whose lines are filtered instead. */
      readonly filter?: string;
    };

export const NO_PANEL: Panel = { kind: 'none' };

/** The question on screen: what the user has done with it so far. */
export type QuestionUi = {
  readonly id: string;
  /** Index of the button with the focus. */
  readonly focus: number;
  /** Keys answer it only from then on. */
  readonly armed: boolean;
  /** A key came too early: the hint explains it. */
  readonly hurried: boolean;
  /** First line of the action shown. */
  readonly top: number;
  /** The command being edited (HA-7), or the field of a form in hand. */
  readonly edit?: string;
  /** What is in the field is the note of a skip, not the command. */
  readonly noting?: boolean;
  /** The whole of a long command is shown, not excerpts. */
  readonly whole?: boolean;
  /** The help is shown in place of the question. */
  readonly help?: boolean;
  /** Of a trial: its diff is shown in place of the list. */
  readonly diff?: boolean;
  /** How far down the lines have been on the screen without a gap, at this width. */
  readonly seen?: Seen;
  /** What stands in the fields of a form. */
  readonly form?: FormUi;
};

/** Lines from the first on that were on a screen of so many columns. */
type Seen = { readonly columns: number; readonly to: number };

export type Ui = {
  readonly size: Size;
  readonly editor: EditorState;
  /** Cells of the rail at the right; 0: there is none. */
  readonly rail: number;
  /** The user does not want it. */
  readonly railHidden?: boolean;
  /** The user took the line the other way than it was read (IN-3). */
  readonly flip?: 'shell' | 'ai' | undefined;
  /** Where vi's keys are in use; undefined is its insert mode. */
  readonly vi?: ViState | undefined;
  /** A line that could be either, and that Enter has asked about (IN-9). */
  readonly asked?: string | undefined;
  /** Enter makes the line the goal of a run (NO-1). */
  readonly goalNext: boolean;
  readonly keyboard: 'prompt' | 'program';
  readonly panel: Panel;
  readonly question?: QuestionUi | undefined;
  /** The beginning of a key sequence, with what may follow. */
  readonly pending?: Pending | undefined;
  /** The same, once it is to be listed. */
  readonly which?: Pending | undefined;
  /** What the `@` words of the line stand for. */
  readonly attached?: readonly AtWord[] | undefined;
  /** One line for the status bar until the next key. */
  readonly hint?: string | undefined;
};

export function initialUi(size: Size): Ui {
  return { size, rail: 0, editor: createEditor(), goalNext: false, keyboard: 'prompt', panel: NO_PANEL };
}

/** A value with listeners: what React's useSyncExternalStore wants, and nothing more. */
export type Store<T> = {
  get(): T;
  /** Listeners hear of it only when the value is another one. */
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
