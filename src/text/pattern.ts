/**
 * Builds a regular expression from a source over several lines: blanks and line ends are ignored, `\x20` is a blank.
 * @param source from `String.raw`
 */
export function pattern(source: string, flags?: string): RegExp {
  return new RegExp(source.replace(/\s+/g, ''), flags);
}
