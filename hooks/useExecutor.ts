import { useEffect, useState, useSyncExternalStore } from 'react';
import type { RunningCommand } from '../src/contracts/commands.ts';
import type { FleetRun } from '../src/contracts/fleet.ts';
import type { Phase } from '../src/session/phase.ts';
import { runningOf } from '../src/session/slots.ts';
import { useScreen } from './context.ts';
import { useConversation, useSession } from './useSession.ts';

/** A command in the foreground: the user's own, one that the model's run waits for, or a job brought to the front. */
export type Foreground = {
  readonly op: string;
  readonly by: 'user' | 'model';
  readonly command: string;
  readonly running: RunningCommand;
  /** The number of the job that was brought to the front. */
  readonly job?: number;
};

export type Foregrounds = {
  readonly user?: Foreground;
  readonly models: readonly Foreground[];
  readonly job?: Foreground;
};

/**
 * Returns the foreground command of the user's shell and the job in front, if there are any, and the model's commands.
 */
export function useExecutor(): Foregrounds {
  const { app, onEngine } = useScreen();
  const { engine } = app;
  const userOp = useSession((state) => state.shell.running?.op);
  const line = useSession((state) => state.shell.running?.line ?? '');
  const phase = useConversation((conversation) => conversation.phase);
  const job = useFrontJob();
  // The process starts some ms after the state says so; the engine reports when it has.
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

/** Returns the command that runs in a trial, whose changes are not kept. */
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

/** Returns whether any of the commands waits for input. */
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

/** Returns the lines that wait for the shell until the running command ends, one a line. */
export function useWaitingLines(): string {
  const { app, onEngine } = useScreen();
  const { shell } = app;
  return useSyncExternalStore(onEngine, () => shell.waiting.join('\n'));
}

/** Returns the user's shell with its version, if `wanted`; '' until it has started. */
export function useShellName(wanted: boolean): string {
  const { app } = useScreen();
  const [name, setName] = useState('');
  useEffect(() => {
    if (!wanted) return undefined;
    let gone = false;
    app.shellName().then(
      (found) => !gone && setName(found),
      // The failure is reported where the shell is used.
      () => {},
    );
    return () => {
      gone = true;
    };
  }, [app, wanted]);
  return name;
}

/** Returns the working directory of the user's shell. */
export function useShellCwd(): string {
  const { engine } = useScreen().app;
  return useSession(() => engine.shellCwd);
}

/** Returns the progress that running tools report, one a line; empty when none does. */
export function useProgress(): string {
  const { app, onEngine } = useScreen();
  const { engine } = app;
  return useSyncExternalStore(onEngine, () => [...engine.live.progress.values()].join('\n'));
}

/** Returns the fleet at work; redraws with each step of a host. */
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
