import { useEffect, useState } from 'react';
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

/** How often a launch is looked for: between the start that the machine knows and the process there are some ms. */
const LAUNCH_MS = 20;

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

function useForeground(op: string | undefined): { readonly op: string; readonly running: RunningCommand } | undefined {
  const { commands } = useScreen().aish.engine.live;
  const [, lookAgain] = useState(0);
  const running = op === undefined ? undefined : commands.get(op);
  const missing = op !== undefined && !running;
  useEffect(() => {
    if (!missing) return;
    const timer = setInterval(() => commands.has(op) && lookAgain((n) => n + 1), LAUNCH_MS);
    return () => clearInterval(timer);
  }, [missing, op, commands]);
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
