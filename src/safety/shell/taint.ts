/**
 * Placeholders inside expanded text for parts that are unknown without running the command. They are private-use code
 * points; a command that itself contains them only counts as less known.
 */

/** Unknown text: an unset variable, the output of a program. */
export const UNKNOWN = '\uE000';
/** Text that came over the network. */
export const FETCHED = '\uE001';
/** The content of a local file. */
export const FILE_TEXT = '\uE002';
/** The path of a temporary file made by the same command. */
export const OWN_TEMP = '\uE003';
/** Marks the next character as quoted. */
export const QUOTE = '\uE004';
/** Marks the end of a word. */
export const SPLIT = '\uE005';
/** Marks an empty quoted text, so that the word exists. */
export const EMPTY = '\uE006';
/** Text decoded from unknown input. */
export const DECODED = '\uE007';

/** An unknown number in text that Python code makes. */
export const DIGITS = '\uE008';
/** The id of a process that the same command started (`$!`). */
export const OWN_PROCESS = '\uE009';

/** Unknown names, one of which belongs to a credential file. */
export const CREDENTIAL_NAME = '\uE00A';

/** An unknown number, decimal or hexadecimal, such as the output of `wc -l`. */
export const NUMBER = '\uE00B';

/** Endless text, such as the output of `yes`; added to another placeholder. */
export const ENDLESS = '\uE00E';

/** Placeholders for unknown text. */
export const NOT_KNOWN = /[\uE000-\uE002\uE007\uE009\uE00B]/;
const ANY_TAINT = /[\uE000-\uE00E]/;
const ANY_TAINT_GLOBAL = /[\uE000-\uE00E]/g;

/** Returns whether some part of this text is unknown. (A temporary file made by the command counts as known.) */
export function hasUnknown(text: string): boolean {
  return NOT_KNOWN.test(text);
}

/** Replaces placeholder characters in the input, so that hostile text can’t imitate our placeholders. */
export function escapeMarks(source: string): string {
  return ANY_TAINT.test(source) ? source.replace(ANY_TAINT_GLOBAL, UNKNOWN) : source;
}

/** Returns the text for people and for patterns, with placeholders shown as `…`. */
export function readable(text: string): string {
  return ANY_TAINT.test(text) ? text.replace(ANY_TAINT_GLOBAL, '…') : text;
}

/** Returns the text with every unknown part removed. */
export function withoutTaint(text: string): string {
  return text.replace(ANY_TAINT_GLOBAL, '');
}
