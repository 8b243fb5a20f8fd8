/** Bounds that hold before anything is parsed; a command beyond them is judged by its raw text. */

/** Longest command that is parsed, in characters. Real agents' commands: 90th percentile 2,237. */
export const MAX_COMMAND_CHARS = 100_000;

/** Deepest nesting of brackets, braces and quotes that is parsed; the parser's own bound is 256. */
export const MAX_DEPTH = 100;

/** Most commands in one line, by a count of separators; the parser is quadratic in nothing, but work adds up. */
export const MAX_SEPARATORS = 8_000;

/** An upper bound of how deep brackets nest in `text`, without regard to quotes; linear. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 40 || c === 123) {
      if (++depth > deepest) deepest = depth;
    } else if ((c === 41 || c === 125) && depth > 0) depth--;
  }
  return deepest;
}
