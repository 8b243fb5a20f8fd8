/** Which step of a run an action of the transcript belongs to, and where a task begins: entries in their order. */
import type { TranscriptItem } from '../../engine/transcript.ts';
import type { Entry } from '../../session/entry.ts';

type Exec = Extract<Entry, { kind: 'exec' }>;

export class RunSteps {
  readonly #steps = new Map<string, number>();
  /** Keys of steps with which a task begins. */
  readonly #tasks = new Set<string>();
  #step = 0;
  #task = 0;

  /** To be told of every entry once, in order. */
  note({ key, entry }: TranscriptItem): void {
    if (entry.kind === 'norrisBegan' || entry.kind === 'norrisEnded') this.#step = 0;
    if (entry.kind === 'norrisBegan') this.#task = 0;
    if (entry.kind === 'norrisStep') {
      this.#step = entry.step;
      if (entry.task && entry.task.k !== this.#task) this.#tasks.add(key);
      this.#task = entry.task?.k ?? this.#task;
    }
    if (entry.kind === 'exec' && entry.by === 'model' && this.#step > 0) this.#steps.set(key, this.#step);
  }

  /** From the first entry on again. */
  restart(): void {
    this.#step = 0;
    this.#task = 0;
  }

  beginsTask(key: string): boolean {
    return this.#tasks.has(key);
  }

  /** The step of an action that went well, which one row says; undefined for anything else. */
  finished(key: string, entry: Entry | undefined): { readonly step: number; readonly entry: Exec } | undefined {
    const step = this.#steps.get(key);
    return step !== undefined && entry?.kind === 'exec' && entry.result?.exit === 0 ? { step, entry } : undefined;
  }
}
