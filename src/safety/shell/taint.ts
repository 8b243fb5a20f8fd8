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

/** What a store of credentials holds; stands beside the text, whatever that is. */
export const CREDENTIAL = '\uE00A';

/** A number that can't be known, decimal or hexadecimal: what `wc -l` prints. */
export const NUMBER = '\uE00B';

/** The value of a variable that holds a key, a token or a password; stands beside it. */
export const SECRET = '\uE00C';

/** Text without end, as `yes` prints it; stands beside it. */
export const ENDLESS = '\uE00E';

/** A mark for what is not known. */
export const NOT_KNOWN = /[\uE000-\uE002\uE007\uE009\uE00B]/;
const ANY_TAINT = /[\uE000-\uE00E]/;
const ANY_TAINT_GLOBAL = /[\uE000-\uE00E]/g;
const CARRIED = [CREDENTIAL, SECRET] as const;
const SECRETS = /[\uE00A\uE00C]/;

/** Is some part of this text not known? (A temporary file of one's own counts as known enough.) */
export function hasUnknown(text: string): boolean {
  return NOT_KNOWN.test(text);
}

/** Does any mark stand in this text? */
export function isMarked(text: string): boolean {
  return ANY_TAINT.test(text);
}

/** Does a store of credentials, or a variable that holds one, speak here? */
export function holdsSecret(text: string): boolean {
  return SECRETS.test(text);
}

/** The marks of `from` that say what a text is about, whatever is made of it; most texts have none. */
export function marksOf(from: string): string {
  return ANY_TAINT.test(from) ? CARRIED.filter((mark) => from.includes(mark)).join('') : '';
}

/** What is made of `from`, with its marks. */
export function carrying(from: string, made: string): string {
  const marks = marksOf(from);
  if (marks === '') return made;
  const missing = [...marks].filter((mark) => !made.includes(mark)).join('');
  // Before the newlines that a substitution takes off.
  return missing === '' ? made : made.replace(/\n*$/, (end) => missing + end);
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
