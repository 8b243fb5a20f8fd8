/** What only the user decides on besides actions: what a command left, and what may be started from it (MO-9, EF-1). */

/** Put to the user when a command has ended, and before its end is told. */
export type Review = {
  /**
   * `later`: files that others run were set aside. `room`: the store was full, so that a change was refused. `start`:
   * something of the user's own is to start from files that a model has changed.
   */
  readonly about: 'later' | 'room' | 'start';
  /** The command; of `start` what is to be started. */
  readonly command: string;
  /** One phrase for each file. */
  readonly items: readonly string[];
  /** What was in the files and what the command wrote, as unified diffs; may be empty. */
  readonly diff: string;
};
