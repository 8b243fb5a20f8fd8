/** Commands of the agent go into the histories, marked (EX-11): the program's own, and that of the user's shell. */
import type { App } from '../commands/app.ts';
import type { Route } from '../contracts/lines.ts';
import type { Engine } from '../engine/engine.ts';
import { runningOf } from '../session/slots.ts';

type Ways = {
  readonly history: Pick<App['history'], 'addAgents'>;
  readonly classify: (line: string) => Route;
  /** Into the history of the user's shell. */
  readonly remember: (command: string) => void;
};

/**
 * Keeps each command as it starts. In the prompt it reads as it would be typed: with a `!` where it would otherwise be
 * taken for something else. In the shell's history a mark must be part of the command: `:` does nothing in every shell,
 * and stands in front since a comment behind could end up in a here-document.
 */
export function keepAgentCommands(engine: Engine, { history, classify, remember }: Ways): void {
  engine.onEvent((event) => {
    if (event.type !== 'actionStarted') return;
    const phase = engine.state.sessions[event.session]?.phase;
    if (phase?.kind !== 'acting') return;
    const action = runningOf(phase).find(({ op }) => op === event.op)?.action;
    if (action?.kind !== 'command') return;
    const command = action.command.trim();
    if (command === '') return;
    const { kind, forced } = classify(command);
    history.addAgents(kind === 'shell' && !forced ? command : `!${command}`);
    remember(`: aish; ${command}`);
  });
}
