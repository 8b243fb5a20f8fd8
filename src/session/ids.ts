/** The names of things in flight, and the three modes. */

export type SessionId = string;
/** Names one operation in flight; facts of an operation that is over are dropped. */
export type OpId = string;
export type QuestionId = string;

/** What the model's commands may do, from the narrowest to the widest (MO-2, MO-9). */
export const MODES = ['restricted', 'project', 'unrestricted'] as const;
export type Mode = (typeof MODES)[number];

/** Whether `mode` lets the model do more than `than`. Only the user widens. */
export function isWider(mode: Mode, than: Mode): boolean {
  return MODES.indexOf(mode) > MODES.indexOf(than);
}
