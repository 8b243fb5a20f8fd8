/**
 * Loads the session's modules behind the first frame. Meanwhile two other processes already run: the test of the
 * sandbox and the user's shell.
 */
import { tmpdir } from 'node:os';
import { detectSandbox, findLauncher, type SandboxStatus } from '../effects/sandbox/index.ts';
import type { UserShell, UserShellOptions } from '../executor/index.ts';

/** The session's side of a shell: listeners for its events, and the directory for its outputs. */
export type ShellListeners = Required<
  Pick<UserShellOptions, 'dataDir' | 'facts' | 'onExit' | 'onMove' | 'onPrompt' | 'onIdleOutput'>
>;

/** The user's shell, started before its session. What it reports until the session listens is told then. */
export type EarlyShell = {
  listen(listeners: Promise<ShellListeners>): Promise<UserShell>;
  /** Ends a shell that the session does not want. */
  drop(): void;
};

export type EarlyStart = { readonly sandbox: Promise<SandboxStatus>; readonly shell?: EarlyShell };

export type EarlyOptions = {
  /** Starts the shell of `$SHELL` too. */
  readonly shell: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Lets pending keys through between two pieces of work. */
  readonly turn: () => Promise<void>;
};

/** Loads the modules in pieces, each short enough for a key to wait for it; never rejects for a process it starts. */
export async function startEarly({ shell: wanted, turn, ...size }: EarlyOptions): Promise<EarlyStart> {
  const sandbox = detectSandbox({ launcher: findLauncher(import.meta.url) });
  // The caller who needs the result gets the error.
  sandbox.catch(() => {});
  let shell: EarlyShell | undefined;
  for (const load of [
    // The first segmenter of a process loads its tables, which the next frame needs.
    async () => new Intl.Segmenter(),
    () => import('@xterm/headless'),
    () => import('../executor/graphemes.ts'),
    async () => {
      const executor = await import('../executor/index.ts');
      if (wanted) shell = startShell(executor, size);
    },
    () => import('unbash'),
    () => import('../safety/programs/records/index.ts'),
    () => import('../safety/rules/table.ts'),
    () => import('../safety/judge.ts'),
    () => import('../safety/index.ts'),
    () => import('../secrets/index.ts'),
    () => import('../broker/index.ts'),
    () => import('../tools/index.ts'),
    () => import('../engine/engine.ts'),
    () => import('../config/index.ts'),
    () => import('../store/index.ts'),
    () => import('./host-shells.ts'),
    () => import('./create-app.ts'),
    () => import('./assembly.ts'),
  ]) {
    await turn();
    await load();
  }
  return { sandbox, ...(shell && { shell }) };
}

type Executor = Pick<typeof import('../executor/index.ts'), 'startUserShell' | 'processEnvironment'>;

function startShell(executor: Executor, size: { readonly columns: number; readonly rows: number }): EarlyShell {
  let listeners: ShellListeners | undefined;
  const missed: ((to: ShellListeners) => void)[] = [];
  const tell = (event: (to: ShellListeners) => void) => void (listeners ? event(listeners) : missed.push(event));
  const ready = executor.startUserShell({
    ...size,
    cwd: process.cwd(),
    env: executor.processEnvironment(),
    // No command runs before the session exists.
    get dataDir() {
      return listeners?.dataDir ?? tmpdir();
    },
    facts: () => listeners?.facts() ?? { colours: {}, kitty: false },
    onExit: (end) => tell((to) => to.onExit(end)),
    onMove: (cwd) => tell((to) => to.onMove(cwd)),
    onPrompt: () => tell((to) => to.onPrompt()),
    onIdleOutput: (text) => tell((to) => to.onIdleOutput(text)),
  });
  ready.catch(() => {});
  return {
    listen(coming) {
      void coming.then((to) => {
        listeners = to;
        for (const event of missed.splice(0)) event(to);
      });
      return ready;
    },
    drop: () =>
      void ready.then(
        (shell) => shell.dispose(),
        () => {},
      ),
  };
}
