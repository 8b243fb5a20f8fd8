/** A question of several machines, put to the user once. */
import type { Finding } from './action.ts';

export type FleetAsked = {
  readonly goal: string;
  /** Whom an answer is for. */
  readonly hosts: readonly string[];
  /** How many other hosts wait with a question of their own. */
  readonly others: number;
  readonly command: string;
  /** The directory on each of them. */
  readonly cwd: string;
  readonly root: boolean;
  readonly reason: string;
  readonly findings: readonly Finding[];
  /** What the hosts report of what it names, one line each. */
  readonly reported: readonly string[];
  /** In what it is another question than that of most hosts. */
  readonly differences: readonly string[];
  /** Behind a yes this one goes first, and the others wait for its end. */
  readonly canary?: string;
};
