/** What the command line asks of every front end. */
export type GlobalOptions = {
  readonly config?: string;
  readonly mode?: 'restricted' | 'unrestricted';
  readonly model?: string;
};
