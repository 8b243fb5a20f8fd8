/** An answer that a question offers. */
import type { Answer } from '../../../session/event.ts';

export type Choice = {
  /** `edit` and `note` open a field in which the answer is written. */
  readonly answer: Answer['kind'] | 'note';
  /** The letter that gives this answer. */
  readonly key: string;
  readonly label: string;
  /** The same where there is room for more words, and where there is less. */
  readonly long?: string;
  readonly short?: string;
  /** What it does, for the help. */
  readonly does: string;
  /** Something happens for real by it. */
  readonly harmful?: true;
};
