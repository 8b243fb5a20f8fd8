import { useSyncExternalStore } from 'react';
import type { RunningCommand } from '../src/engine/services.ts';
import { runningOf } from '../src/session/lanes.ts';
import type { Phase } from '../src/session/state.ts';
import { useScreen } from './context.ts';
import { useConversation, useSession } from './useSession.ts';

/** A command in the foreground: the user's own, or the one that the model's run waits for. */
export type Foreground = {
  readonly op: string;
  readonly by: 'user' | 'model';
  readonly command: string;
  readonly running: RunningCommand;
};

/** The foreground command of the user's shell, if there is one, and those of the model. */
export function useExecutor(): { readonly user?: Foreground; readonly models: readonly Foreground[] } {
  const { engine } = useScreen().aish;
  const userOp = useSession((state) => state.shell.running?.op);
  const line = useSession((state) => state.shell.running?.line ?? '');
  const phase = useConversation((conversation) => conversation.phase);
  // The process comes some ms after the start that the machine knows; the engine tells when it is there.
  useSyncExternalStore(
    (listener) => engine.subscribe(listener),
    () => [...engine.live.commands.keys()].join(' '),
  );
  const foreground = (op: string, by: Foreground['by'], command: string): Foreground[] => {
    const running = engine.live.commands.get(op);
    return running ? [{ op, by, command: engine.services.secrets.reveal(command), running }] : [];
  };
  const [user] = userOp === undefined ? [] : foreground(userOp, 'user', line);
  const models = isActing(phase) ? runningOf(phase) : [];
  return {
    ...(user ? { user } : {}),
    models: models.flatMap(({ op, action }) =>
      action.kind === 'command' ? foreground(op, 'model', action.command) : [],
    ),
  };
}

function isActing(phase: Phase): phase is Extract<Phase, { kind: 'acting' | 'stoppingActions' }> {
  return phase.kind === 'acting' || phase.kind === 'stoppingActions';
}

/** Lines for the shell that wait until the running command has ended, one a line. */
export function useWaitingLines(): string {
  const { engine, shell } = useScreen().aish;
  return useSyncExternalStore(
    (listener) => engine.subscribe(listener),
    () => shell.waiting.join('\n'),
  );
}
