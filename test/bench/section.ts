/** The parts of one section of the table of `npm run bench`. */

/** The measure by which a figure is divided to get a ratio. */
export type Beside = {
  readonly name: string;
  /** The name of the figure, if it is not the row’s own. */
  readonly figure?: string;
  /** The largest ratio that is good enough. */
  readonly goal?: number;
};

export type Contender = {
  readonly name: string;
  /** Measures one round; returns its figures by name, in any unit. */
  measure(): Promise<Readonly<Record<string, number>>>;
};

export type Section = {
  readonly name: string;
  readonly contenders: readonly Contender[];
  readonly figures: readonly {
    readonly figure: string;
    readonly beside?: readonly Beside[];
    /** An absolute limit, for figures that are counted instead of timed. */
    readonly limit?: number;
  }[];
};
