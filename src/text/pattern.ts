/**
 * Builds a regular expression that is too long for one line: blanks and line ends are ignored, `\x20` is a blank.
 * @param source from `String.raw`
 */
export function pattern(source: string, flags?: string): RegExp {
  return new RegExp(source.replace(/\s+/g, ''), flags);
}
