import type { TerminalFacts } from '../contracts/commands.ts';
import type { ShellThere } from '../contracts/hosts.ts';
import type { Environment } from './environment.ts';
import type { ShellEnd } from './shell-supervisor.ts';

export type UserShellOptions = {
  /** `$SHELL`; whatever is none of bash, zsh and fish falls back to bash. */
  readonly shell?: string;
  /** Where it runs; absent: here. */
  readonly there?: ShellThere;
  /** Where it begins, as a place. */
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** What the outer terminal has told, for programs that ask. */
  readonly facts?: () => TerminalFacts;
  /** The shell ended and was started again (or, `restarted: false`, was not): one line for the user. */
  readonly onExit?: (end: ShellEnd) => void;
  readonly onMove?: (cwd: string) => void;
  /** It waits for a line; what it tells of itself is new. */
  readonly onPrompt?: () => void;
  /** Clean text printed while no command ran: by background jobs, prompt hooks, startup files. */
  readonly onIdleOutput?: (text: string) => void;
};
