/**
 * Taint marks inside expanded text. They stand for what reading alone can't know; private-use code points, so a command
 * that contains them itself is only taken for less known than it is.
 */

/** Text that can't be known: an unset variable, the output of a program. */
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
/** A quoted nothing: the word exists though it may be empty. */
export const EMPTY = '\uE006';
/** Text that a decoder made of something unknown. */
export const DECODED = '\uE007';

/** A number that can't be known, in a text that Python makes. */
export const DIGITS = '\uE008';
/** The number of a process that the same command started (`$!`). */
export const OWN_PROCESS = '\uE009';

/** Among names that can't be known is that of a credential file. */
export const CREDENTIAL_NAME = '\uE00A';

/** A number that can't be known, decimal or hexadecimal: what `wc -l` prints. */
export const NUMBER = '\uE00B';

/** Text without end, as `yes` prints it; stands beside it. */
export const ENDLESS = '\uE00E';

/** A mark for what is not known. */
export const NOT_KNOWN = /[\uE000-\uE002\uE007\uE009\uE00B]/;
const ANY_TAINT = /[\uE000-\uE00E]/;
const ANY_TAINT_GLOBAL = /[\uE000-\uE00E]/g;

/** Is some part of this text not known? (A temporary file of one's own counts as known enough.) */
export function hasUnknown(text: string): boolean {
  return NOT_KNOWN.test(text);
}

/** Replaces marks that stood in the input itself, so that hostile text can't pass for our own marks. */
export function escapeMarks(source: string): string {
  return ANY_TAINT.test(source) ? source.replace(ANY_TAINT_GLOBAL, UNKNOWN) : source;
}

/** The text for people and for patterns: marks shown as `…`. */
export function readable(text: string): string {
  return ANY_TAINT.test(text) ? text.replace(ANY_TAINT_GLOBAL, '…') : text;
}

/** The text with everything unknown taken as empty. */
export function withoutTaint(text: string): string {
  return text.replace(ANY_TAINT_GLOBAL, '');
}
