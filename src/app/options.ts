/** What the command line asks of every front end. */
export type GlobalOptions = {
  readonly config?: string;
  readonly mode?: 'restricted' | 'unrestricted';
  readonly model?: string;
};

/** Which session is wanted; a new one where nothing is said. */
export type SessionWish = {
  /** An id, or `true` for the newest that can be taken. */
  readonly resume?: string | true;
  /** Continue in a copy; the session itself stays as it is, also where another program has it open. */
  readonly fork?: boolean;
};
