import { useSyncExternalStore } from 'react';
import type { RunningCommand } from '../src/contracts/commands.ts';
import type { FleetRun } from '../src/contracts/fleet.ts';
import type { Phase } from '../src/session/phase.ts';
import { runningOf } from '../src/session/slots.ts';
import { useScreen } from './context.ts';
import { useConversation, useSession } from './useSession.ts';

/** A command in the foreground: the user's own, the one that the model's run waits for, or a job brought there. */
export type Foreground = {
  readonly op: string;
  readonly by: 'user' | 'model';
  readonly command: string;
  readonly running: RunningCommand;
  /** The number of the job that it is, brought to the front. */
  readonly job?: number;
};

export type Foregrounds = {
  readonly user?: Foreground;
  readonly models: readonly Foreground[];
  readonly job?: Foreground;
};

/** The foreground command of the user's shell and the job in front, each if there is one, and those of the model. */
export function useExecutor(): Foregrounds {
  const { app, onEngine } = useScreen();
  const { engine } = app;
  const userOp = useSession((state) => state.shell.running?.op);
  const line = useSession((state) => state.shell.running?.line ?? '');
  const phase = useConversation((conversation) => conversation.phase);
  const job = useFrontJob();
  // The process comes some ms after the start that the machine knows; the engine tells when it is there.
  useSyncExternalStore(onEngine, () => [...engine.live.commands.keys()].join(' '));
  const foreground = (op: string, by: Foreground['by'], command: string): Foreground[] => {
    const running = engine.live.commands.get(op);
    return running ? [{ op, by, command: engine.services.secrets.reveal(command), running }] : [];
  };
  const [user] = userOp === undefined ? [] : foreground(userOp, 'user', line);
  const models = isActing(phase) ? runningOf(phase) : phase.kind === 'trying' ? triedIn(phase) : [];
  return {
    ...(user ? { user } : {}),
    ...(job ? { job } : {}),
    models: models.flatMap(({ op, action }) =>
      action.kind === 'command' ? foreground(op, 'model', action.command) : [],
    ),
  };
}

function isActing(phase: Phase): phase is Extract<Phase, { kind: 'acting' | 'stoppingActions' }> {
  return phase.kind === 'acting' || phase.kind === 'stoppingActions';
}

/** What runs in a trial, where nothing of it stays. */
function triedIn({ op, dispatch }: Extract<Phase, { kind: 'trying' }>) {
  const action = dispatch.actions[dispatch.index];
  return action ? [{ op, action }] : [];
}

function useFrontJob(): Foreground | undefined {
  const { app, onEngine } = useScreen();
  const { front } = app;
  const job = useSyncExternalStore(onEngine, () => front.job);
  if (!job) return undefined;
  const { id, owner: by, command, running } = job;
  return { op: `job-${id}`, by, command, running, job: id };
}

/** Redraws when a program starts or stops waiting for input. */
export function useModes(running: RunningCommand | undefined): void {
  useSyncExternalStore(
    (listener) => running?.onModes(listener) ?? (() => {}),
    () =>
      `${running?.asks} ${running?.echoOff} ${running?.asker} ${running?.asksAsShell} ${running?.nested?.busy} ${running?.nested?.exit}`,
  );
}

/** Whether any of them waits for input. */
export function useAsking(commands: readonly Foreground[]): boolean {
  return useSyncExternalStore(
    (listener) => {
      const ends = commands.map(({ running }) => running.onModes(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    () => commands.some(({ running }) => running.asks),
  );
}

/** Lines for the shell that wait until the running command has ended, one a line. */
export function useWaitingLines(): string {
  const { app, onEngine } = useScreen();
  const { shell } = app;
  return useSyncExternalStore(onEngine, () => shell.waiting.join('\n'));
}

/** Where the user's shell is. */
export function useShellCwd(): string {
  const { engine } = useScreen().app;
  return useSession(() => engine.shellCwd);
}

/** The progress that running tools report, one a line; empty when none does. */
export function useProgress(): string {
  const { app, onEngine } = useScreen();
  const { engine } = app;
  return useSyncExternalStore(onEngine, () => [...engine.live.progress.values()].join('\n'));
}

/** The fleet at work; redraws when a host of it is another step further. */
export function useFleet(): FleetRun | undefined {
  const { app, onEngine } = useScreen();
  const { fleet } = app;
  const run = useSyncExternalStore(onEngine, () => fleet.run);
  useSyncExternalStore(onEngine, () =>
    run
      ?.rows()
      .map(({ status, commands }) => `${status}${commands.length}`)
      .join(' '),
  );
  return run;
}
