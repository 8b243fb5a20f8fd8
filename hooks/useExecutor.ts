import { useSyncExternalStore } from 'react';
import type { RunningCommand } from '../src/engine/services.ts';
import { rootOf, type State } from '../src/session/state.ts';
import { useScreen } from './context.ts';
import { useSession } from './useSession.ts';

/** A command in the foreground: the user's own, or the one that the model's run waits for. */
export type Foreground = {
  readonly op: string;
  readonly by: 'user' | 'model';
  readonly command: string;
  readonly running: RunningCommand;
};

/** The foreground commands of the user's shell and of the model, each if there is one. */
export function useExecutor(): { readonly user?: Foreground; readonly model?: Foreground } {
  const user = useForeground(useSession((state) => state.shell.running?.op));
  const model = useForeground(useSession(modelOp));
  const line = useSession((state) => state.shell.running?.line ?? '');
  const command = useSession(modelCommand);
  return {
    ...(user ? { user: { op: user.op, by: 'user', command: line, running: user.running } } : {}),
    ...(model ? { model: { op: model.op, by: 'model', command, running: model.running } } : {}),
  };
}

/** Lines for the shell that wait until the running command has ended, one a line. */
export function useWaitingLines(): string {
  const { engine, shell } = useScreen().aish;
  return useSyncExternalStore(
    (listener) => engine.subscribe(listener),
    () => shell.waiting.join('\n'),
  );
}

/** The process comes some ms after the start that the machine knows; the engine tells when it is there. */
function useForeground(op: string | undefined): { readonly op: string; readonly running: RunningCommand } | undefined {
  const { engine } = useScreen().aish;
  const running = useSyncExternalStore(
    (listener) => engine.subscribe(listener),
    () => (op === undefined ? undefined : engine.live.commands.get(op)),
  );
  return op !== undefined && running ? { op, running } : undefined;
}

function acting(state: State) {
  const { phase } = rootOf(state);
  const busy = phase.kind === 'acting' ? phase.started : phase.kind === 'stopping' && phase.acting?.started === true;
  return busy && (phase.kind === 'acting' || phase.kind === 'stopping') ? phase : undefined;
}

function modelOp(state: State): string | undefined {
  return acting(state)?.op;
}

function modelCommand(state: State): string {
  const dispatch = acting(state)?.dispatch;
  const action = dispatch?.actions[dispatch.index];
  return action?.kind === 'command' ? action.command : '';
}
