/** Calls that take something away, with the reason and the lines that show it. */
export type Finding = {
  /** Shown to the person and used to switch the row off. */
  readonly name: string;
  /** Shapes of calls, any of which matches; see `compileShape`. */
  readonly shapes?: readonly string[];
  readonly reason: string;
  /** What it takes are changes of files alone, which the store keeps where they lie in the project's tree. */
  readonly kept?: true;
  /** One of the deletions and losses of history that always ask where the user made what is lost (SF-10, MO-9). */
  readonly named?: true;
  /** Lines this row must report; tests check each. */
  readonly match: readonly string[];
  /** Look-alikes that nothing may report. */
  readonly pass: readonly string[];
};

/**
 * What must hold of a call, all of it. Words that are missing count as empty. The words of a call are its arguments; those
 * that are no options nor their values are its operands.
 */
export type Condition = {
  /** See `compileShape`. */
  readonly shape?: string;
  readonly first?: RegExp;
  readonly second?: RegExp;
  /** The last operand. */
  readonly last?: RegExp;
  /** Some operand; `later`: but the first. */
  readonly operand?: RegExp;
  readonly later?: RegExp;
  /** All operands in one line, or those from the one to before the other. */
  readonly words?: RegExp;
  readonly range?: readonly [number, number, RegExp];
  /** Some argument; `argument0`: the first. */
  readonly argument?: RegExp;
  readonly argument0?: RegExp;
  /** All arguments in one line; `padded`: with a blank before it; `call`: with the program before it. */
  readonly line?: RegExp;
  readonly padded?: RegExp;
  readonly call?: RegExp;
  /** What it is given on its input; `says`: the arguments, a blank and the input. */
  readonly input?: RegExp;
  readonly says?: RegExp;
  /** The value of one of these options. */
  readonly value?: readonly [string, RegExp];
  /** Is anything given there? */
  readonly given?: 'arguments' | 'operands' | 'input';
  /** A verb that takes something away stands among so many operands. */
  readonly destroys?: number;
  /** None of these holds. */
  readonly not?: Condition | readonly Condition[];
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
};
