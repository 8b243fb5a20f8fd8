/** The names of things in flight, and the three modes. */

export type SessionId = string;
/** Identifies one running operation. Facts about an ended operation are dropped. */
export type OpId = string;
export type QuestionId = string;

/** The modes of the model’s commands, from the narrowest to the widest (MO-2, MO-9). */
export const MODES = ['restricted', 'project', 'unrestricted'] as const;
export type Mode = (typeof MODES)[number];

/** Returns whether `mode` lets the model do more than `than`. Only the user may widen a mode. */
export function isWider(mode: Mode, than: Mode): boolean {
  return MODES.indexOf(mode) > MODES.indexOf(than);
}
