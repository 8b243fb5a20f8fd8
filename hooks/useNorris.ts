import { startGoal } from '../src/commands/attached.ts';
import { type SubAgent, subAgents, waitingTasks } from '../src/session/delegate.ts';
import type { Question } from '../src/session/question.ts';
import type { NorrisRun } from '../src/session/run.ts';
import { rootOf, type State } from '../src/session/state.ts';
import { useScreen } from './context.ts';
import { useConversation, useSession } from './useSession.ts';

/** The Norris run that is under way, and what the user can do with it. */
export function useNorris() {
  const { app } = useScreen();
  const { engine } = app;
  const run = useConversation(({ phase }) =>
    phase.kind !== 'idle' && phase.run.kind === 'norris' ? phase.run : undefined,
  );
  const lastGoal = useConversation((conversation) => conversation.lastGoal);
  return {
    run: run as NorrisRun | undefined,
    lastGoal: engine.services.secrets.reveal(lastGoal),
    start: (goal: string) => void startGoal(app, goal),
    abort: () => void engine.dispatch({ type: 'aborted' }),
  };
}

/** The question on screen: the head of the queue (HA-6), with its secrets revealed. */
export function useQuestion(): Question | undefined {
  const { engine } = useScreen().app;
  const head = useSession((state) => state.questions[0]);
  return head && engine.actions.revealQuestion(head);
}

/** What the conversation is doing, in a word or two; undefined when it does nothing. */
export function activityOf(state: State): string | undefined {
  const { phase } = rootOf(state);
  // The agent continues with the report of a sub-agent that asks.
  if (state.questions.length > 0) return 'waits for you';
  switch (phase.kind) {
    case 'idle':
      return undefined;
    case 'planning':
      return 'planning';
    case 'replying':
      return 'thinking';
    case 'judging':
      return 'checking';
    case 'halted':
    case 'escalated':
    case 'awaitingModeApproval':
    case 'awaitingSpend':
      return 'waits for you';
    case 'trying':
      return 'trying';
    case 'acting':
      return state.questions[0]?.kind === 'form' ? 'waits for you' : 'running';
    case 'stopping':
    case 'stoppingActions':
      return 'stopping';
  }
}

/** The sub-agents that run, and how many tasks wait for one to end. */
export function useAgents(): { readonly running: readonly SubAgent[]; readonly waiting: number } {
  const sessions = useSession((state) => state.sessions);
  const waiting = useSession(waitingTasks);
  return { running: subAgents({ sessions }), waiting };
}
