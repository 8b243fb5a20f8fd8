/** One row of the tables: a shape with a beginning of its own, so that a text without it is never looked at twice. */
export type TokenRule = {
  /** Becomes the handle's name. */
  readonly kind: string;
  /** Literal beginnings of at least three characters, separated by blanks; the value begins there. */
  readonly starts: string;
  /** What stands before the beginning and belongs to the value: a regular expression for at most 40 characters. */
  readonly before?: string;
  /** What follows the beginning: a regular expression without unbounded repetition. */
  readonly rest: string;
  /** What may not follow the value; default: a letter or digit. */
  readonly stop?: string;
  /** The shape is loose: it must hold letters and digits mixed as machines do. */
  readonly loose?: true;
  /**
   * Texts whose part between ‹ and › must be found, exactly; tests check each. No real values: `<36w>` stands for 36
   * random characters of a class (`w` letters and digits, `h` hex, `H` upper hex, `d` digits, `u` upper case and
   * digits, `l` lower case and digits, `s` as `w` with `-` and `_`, `b` Base64, `a` letters).
   */
  readonly match: readonly string[];
  /** Look-alikes in which nothing may be found. */
  readonly pass: readonly string[];
};
