/** What a command left that only the user decides on (MO-9, EF-1). */

/** Put to the user when a command has ended, and before its end is told. */
export type Review = {
  /** `later`: files that others run were set aside. `room`: the store was full, so that a change was refused. */
  readonly about: 'later' | 'room';
  readonly command: string;
  /** One phrase for each file. */
  readonly items: readonly string[];
  /** What was in the files and what the command wrote, as unified diffs; may be empty. */
  readonly diff: string;
};
