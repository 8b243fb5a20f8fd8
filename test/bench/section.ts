/** What one part of the table of `npm run bench` is made of. */

/** What a figure is divided by. */
export type Beside = {
  readonly name: string;
  /** Another figure than the row's own. */
  readonly figure?: string;
  /** The largest ratio that is good enough. */
  readonly goal?: number;
};

export type Contender = {
  readonly name: string;
  /** One round: its figures by name, in any unit. */
  measure(): Promise<Readonly<Record<string, number>>>;
};

export type Section = {
  readonly name: string;
  readonly contenders: readonly Contender[];
  readonly figures: readonly {
    readonly figure: string;
    readonly beside?: readonly Beside[];
    /** For what is counted and not timed. */
    readonly limit?: number;
  }[];
};
