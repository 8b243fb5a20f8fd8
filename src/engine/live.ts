/** Streams beside the machine: the reply being written and the commands that run, by operation. Read at frame rate. */

import type { RunningCommand } from '../contracts/commands.ts';
import type { OpId } from '../session/ids.ts';
import { GrowingText } from '../text/growing.ts';

/** Text of a reply as it arrives. */
export class LiveReply {
  text = new GrowingText();
  reasoning = new GrowingText();
  /** The server has taken the request. */
  opened = false;
  /** An attempt failed, and the next one begins at `until`, in ms. */
  pause: { readonly why: string; readonly until: number } | undefined;
  version = 0;
  readonly preset: string;
  readonly startedAt: number;
  readonly #listeners = new Set<() => void>();

  constructor(preset: string, startedAt: number) {
    this.preset = preset;
    this.startedAt = startedAt;
  }

  addText(delta: string): void {
    this.text.add(delta);
    this.#changed();
  }

  open(): void {
    this.opened = true;
    this.#changed();
  }

  addReasoning(delta: string): void {
    this.reasoning.add(delta);
    this.#changed();
  }

  /** Drops what has arrived: the next attempt begins at `until`, in ms. */
  wait(why: string, until: number): void {
    this.again();
    this.pause = { why, until };
    this.#changed();
  }

  /** Drops what has arrived: the request is sent again. */
  again(): void {
    this.text = new GrowingText();
    this.reasoning = new GrowingText();
    this.opened = false;
    this.pause = undefined;
    this.#changed();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Columns and rows that the output of a command has on the screen, beside its frame. */
export type OutputSize = { readonly columns: number; readonly rows: number };

/** The least that a model's command sees of a terminal: below it tables are cut, and the model reads them cut. */
const MIN_SIZE: OutputSize = { columns: 80, rows: 24 };

/** What a model's command is given: the user's terminal, unless it is too narrow to read from. */
export function sizeForModel({ columns, rows }: OutputSize): OutputSize {
  return { columns: Math.max(columns, MIN_SIZE.columns), rows: Math.max(rows, MIN_SIZE.rows) };
}

export class Live {
  /** What commands start with. */
  size: OutputSize = { columns: 80, rows: 24 };
  readonly replies = new Map<OpId, LiveReply>();
  readonly commands = new Map<OpId, RunningCommand>();
  /** The progress that a tool reports. */
  readonly progress = new Map<OpId, string>();
}
