/**
 * Taint marks inside expanded text, for what reading alone can't know. They are private-use code points; a command that
 * itself contains them is only taken as less known than it is.
 */

/** Unknown text: an unset variable, the output of a program. */
export const UNKNOWN = '\uE000';
/** Text that came over the network. */
export const FETCHED = '\uE001';
/** The content of a local file. */
export const FILE_TEXT = '\uE002';
/** The path of a temporary file that the same command made. */
export const OWN_TEMP = '\uE003';
/** The next character was quoted. */
export const QUOTE = '\uE004';
/** A word ends here. */
export const SPLIT = '\uE005';
/** An empty quoted text: the word exists though it may be empty. */
export const EMPTY = '\uE006';
/** Text that a decoder made from unknown input. */
export const DECODED = '\uE007';

/** An unknown number in text that Python makes. */
export const DIGITS = '\uE008';
/** The number of a process that the same command started (`$!`). */
export const OWN_PROCESS = '\uE009';

/** Unknown names, one of which belongs to a credential file. */
export const CREDENTIAL_NAME = '\uE00A';

/** An unknown number, decimal or hexadecimal, such as the output of `wc -l`. */
export const NUMBER = '\uE00B';

/** Endless text, as `yes` prints it; added to the other mark. */
export const ENDLESS = '\uE00E';

/** Marks of unknown text. */
export const NOT_KNOWN = /[\uE000-\uE002\uE007\uE009\uE00B]/;
const ANY_TAINT = /[\uE000-\uE00E]/;
const ANY_TAINT_GLOBAL = /[\uE000-\uE00E]/g;

/** Returns whether some part of this text is unknown. (A temporary file of the command's own counts as known.) */
export function hasUnknown(text: string): boolean {
  return NOT_KNOWN.test(text);
}

/** Replaces marks in the input itself, so that hostile text can't pass for our own marks. */
export function escapeMarks(source: string): string {
  return ANY_TAINT.test(source) ? source.replace(ANY_TAINT_GLOBAL, UNKNOWN) : source;
}

/** Returns the text for people and for patterns: marks are shown as `…`. */
export function readable(text: string): string {
  return ANY_TAINT.test(text) ? text.replace(ANY_TAINT_GLOBAL, '…') : text;
}

/** Returns the text with everything unknown taken as empty. */
export function withoutTaint(text: string): string {
  return text.replace(ANY_TAINT_GLOBAL, '');
}
