/**
 * The words of a line of a start file, as a shell makes them, with each value that its variables may have. No text, however
 * hostile, makes more of them, or longer ones, than is said here. Pure.
 */

/** In place of what can't be told: any characters, slashes too. No path holds it. */
export const ANY = '\0';

/** Of one word; what goes beyond them is any. */
const MAX_ALTERNATIVES = 64;
const MAX_CHARS = 4096;
const MAX_PARTS = 40;
/** How deep defaults and braces lie in each other. */
const MAX_DEPTH = 4;

/** A variable by its name, with what stands there where it is not set; one with a part replaced; another expansion; a list in braces. */
const PART =
  /\$\{(\w+)(?:\[[^\]{}]{0,20}\])?(?::?[-=]([^{}]{0,1000}))?\}|\$\{(\w+)(\/\/?|%%?|##?)([^{}*?[\]]{1,1000})\}|\$\{[^{}]{0,1000}\}|\$(?:(\w+)|[@*#?!])|\{([^{}\s]{0,1000})\}/g;
/** What a shell takes as one word; a quotation mark that is never closed ends it. */
const WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\]+)+/g;
const QUOTED = /"([^"]*)"|'([^']*)'|\\(.)/g;
/** Its output stands in the line. */
const SUBSTITUTION = /[$<]\(([^()]*)\)|`([^`]*)`/g;
/** One of several names in zsh. */
const GROUP = /(?<=\/)\([^()\s]{1,200}\)/g;

/** All values of a variable, as far as they are known; undefined where none is. */
export type Values = (name: string) => Iterable<string> | undefined;

/** The line with `ANY` for the output of commands in it, and behind it the text of each such command. */
export function withoutSubstitutions(line: string): readonly string[] {
  const inner: string[] = [];
  let outer = line;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const before = inner.length;
    outer = outer.replace(SUBSTITUTION, (_, inside?: string, ticked?: string) => {
      inner.push(inside ?? ticked ?? '');
      return ANY;
    });
    if (inner.length === before) break;
  }
  return [outer.replaceAll('$(', `${ANY} (`).replace(GROUP, ANY), ...inner];
}

/** Each without its quotation marks, whatever is in them. */
export const tokensOf = (text: string): readonly string[] => [...text.matchAll(WORD)].map(([token]) => bare(token));

/** Without its quotation marks; a text of several words in them as a whole where it may be a path, and word by word. */
export function* wordsOf(text: string, depth = 0): Generator<string> {
  for (const word of tokensOf(text)) {
    if (!/\s/.test(word)) yield word;
    else {
      const path = word.replace(/^[\w+-]*=/, '');
      if (/^[~/$]/.test(path)) yield path;
      if (depth < MAX_DEPTH) yield* wordsOf(word, depth + 1);
    }
  }
}

/** Without quotation marks and backslashes. */
export function bare(token: string): string {
  return token.replace(QUOTED, (_, double?: string, single?: string, one?: string) => double ?? single ?? one ?? '');
}

/** What a word may stand for, with `ANY` where that can't be told. */
export function alternativesOf(word: string, values: Values): ReadonlySet<string> {
  if (!/[${]/.test(word)) return new Set([word]);
  let all = new Set([word]);
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const next = new Set([...all].flatMap((each) => expanded(each, values)));
    if (next.size > MAX_ALTERNATIVES) break;
    const same = [...next].every((each) => all.has(each));
    all = next;
    if (same) break;
  }
  // What is left of them lies too deep, or has too many values.
  const isLeft = (each: string) => each.includes('$');
  return new Set(
    [...all].map((each) => (isLeft(each) ? each.replace(PART, ANY).replaceAll('$', ANY) : each).replace(/\0+/g, ANY)),
  );
}

function expanded(word: string, values: Values): readonly string[] {
  if (!/[${]/.test(word)) return [word];
  const parts = word.length > MAX_CHARS ? [] : [...word.matchAll(PART)];
  if (word.length > MAX_CHARS || parts.length > MAX_PARTS) return [word.replace(PART, ANY)];
  let all: readonly string[] = [''];
  let from = 0;
  for (const match of parts) {
    const before = word.slice(from, match.index);
    from = match.index + match[0].length;
    const options = optionsOf(match, values);
    const few = all.length * options.length <= MAX_ALTERNATIVES ? options : [ANY];
    all = all.flatMap((start) =>
      few.map((option) => start + before + (start.length + option.length > MAX_CHARS ? ANY : option)),
    );
  }
  const rest = word.slice(from);
  return all.map((start) => start + rest);
}

function optionsOf(match: RegExpExecArray, values: Values): readonly string[] {
  const [whole, braced, otherwise, changed, operator, change = '', plain, list] = match;
  if (list !== undefined) return list.includes(',') ? list.split(',') : /\w\.\.\w/.test(list) ? [ANY] : [whole];
  const name = braced ?? changed ?? plain;
  const known = name === undefined ? undefined : values(name);
  const own = known && [...known];
  if (otherwise !== undefined) return [...(own ?? []), otherwise];
  if (operator !== undefined) return own?.map((value) => withChange(value, operator, change)) ?? [ANY];
  return own ?? [ANY];
}

/** A part of a value replaced, or taken off its end or its beginning, as it stands there. */
function withChange(value: string, operator: string, change: string): string {
  if (operator.startsWith('%')) return value.endsWith(change) ? value.slice(0, -change.length) : value;
  if (operator.startsWith('#')) return value.startsWith(change) ? value.slice(change.length) : value;
  const at = change.indexOf('/', 1);
  const [old, by] = at < 0 ? [change, ''] : [change.slice(0, at), change.slice(at + 1)];
  return operator === '//' ? value.replaceAll(old, () => by) : value.replace(old, () => by);
}
