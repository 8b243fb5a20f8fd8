import type { Environment } from './environment.ts';

export type UserShellOptions = {
  /** `$SHELL`; whatever is neither bash nor zsh falls back to bash. */
  readonly shell?: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** The shell ended and was started again (or, `restarted: false`, was not): one line for the user. */
  readonly onExit?: (end: { readonly code: number; readonly restarted: boolean; readonly message: string }) => void;
  readonly onMove?: (cwd: string) => void;
  /** Clean text printed while no command ran: by background jobs, prompt hooks, startup files. */
  readonly onIdleOutput?: (text: string) => void;
};
