/**
 * The notation of the lists in this folder: `*` matches any characters of one name except a colon (`host:file`), `?`
 * one character, `{a,b}` either, `{,a}` `a` or nothing. Patterns are separated by blanks.
 */

export const patternsIn = (list: string): readonly string[] => list.trim().split(/\s+/);

const SOURCES: Readonly<Record<string, string>> = { '{': '(?:', '}': ')', ',': '|', '*': '[^/:]*', '?': '[^/]' };

/** Returns the source of a regular expression for the pattern. */
export function sourceOf(pattern: string): string {
  return pattern.replace(/[{},*?.+$^()|[\]\\]/g, (sign) => SOURCES[sign] ?? `\\${sign}`);
}

/** Returns the pattern once for each choice in its braces. */
export function spellOut(pattern: string): readonly string[] {
  const braces = /\{([^{}]*)\}/.exec(pattern);
  if (!braces) return [pattern];
  const [start, end] = [pattern.slice(0, braces.index), pattern.slice(braces.index + braces[0].length)];
  const choices = (braces[1] ?? '').split(',');
  return [...new Set(choices.flatMap((choice) => spellOut(start + choice + end)))];
}
