/**
 * A line to run. `judged`: only in trees where the gate judges it safe. `setup`: commands that prepare the tree; then
 * only content that exists nowhere afterwards counts as lost.
 */
export type Case = { readonly line: string; readonly judged: boolean; readonly setup?: string };

/**
 * The result of a line in one tree: with the files that its paths name, without them (`absent`), or after a setup
 * (`state`).
 */
export type Outcome = {
  readonly line: string;
  readonly tree: 'present' | 'absent' | 'state';
  readonly verdict: string;
  /** The losses from the tree, one sentence each. */
  readonly losses: readonly string[];
  /** Programs that were started and that neither the line nor a record of its programs names. */
  readonly unnamed: readonly string[];
  /** `exit N`, `stopped` at the time limit, `missing` a program, `not run`. */
  readonly end: string;
};
