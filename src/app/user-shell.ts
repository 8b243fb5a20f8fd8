/** The user's own shell, as this session starts it. */
import type { TerminalFacts } from '../contracts/commands.ts';
import { processEnvironment, startUserShell, type UserShell } from '../executor/index.ts';
import type { Environment } from './environment.ts';
import type { OwnStarts } from './own-starts.ts';
import type { SessionBus } from './session-bus.ts';

/** A shell that starts in the background: the first frame does not wait for startup files. */
export type ShellHandle = {
  readonly ready: Promise<UserShell>;
  /** Undefined until it has started. */
  readonly current: UserShell | undefined;
  /** What the terminal has told of itself so far. */
  facts: TerminalFacts;
  /** Its exit code, once the user has left it, as by `exit`. */
  readonly left: Promise<number>;
};

export function startShell(
  { options, config }: Environment,
  dataDir: string,
  bus: SessionBus,
  starts: OwnStarts,
): ShellHandle {
  const { promise: left, resolve: leave } = Promise.withResolvers<number>();
  const start = (shell: string | undefined) =>
    startUserShell({
      ...(shell === undefined ? {} : { shell }),
      cwd: process.cwd(),
      env: processEnvironment(),
      columns: options.columns,
      rows: options.rows,
      dataDir,
      facts: () => handle.facts,
      onExit: ({ message, left: ended, code }) => {
        if (ended) leave(code);
        else bus.notice('info', message);
      },
      onMove: (cwd) => bus.dispatch({ type: 'shellMoved', cwd }),
      onPrompt: () => bus.changed(),
      onIdleOutput: (text) => bus.notice('info', text.trimEnd()),
    });
  // The one of the environment was there before: who started this program has let it start.
  const { shell } = config;
  const ready =
    shell === undefined
      ? start(undefined)
      : starts.mayStart({ name: 'your shell', words: [shell] }).then((yes) => start(yes ? shell : undefined));
  let current: UserShell | undefined;
  ready.then(
    (shell) => {
      current = shell;
      bus.changed();
    },
    // A failure is reported where the shell is used.
    () => {},
  );
  const handle: ShellHandle = {
    ready,
    left,
    facts: { colours: {}, kitty: false },
    get current() {
      return current;
    },
  };
  return handle;
}
