import { startGoal } from '../src/commands/attachments.ts';
import { describeAction } from '../src/session/action.ts';
import { type SubAgent, subAgents, waitingTasks } from '../src/session/delegate.ts';
import type { Question } from '../src/session/question.ts';
import type { NorrisRun } from '../src/session/run.ts';
import { runningOf } from '../src/session/slots.ts';
import { rootOf, type State } from '../src/session/state.ts';
import { visible } from '../src/text/sanitize.ts';
import { PHASE_WORDS } from '../src/ui/screen/entries/delegate.ts';
import type { RunFacts } from '../src/ui/screen/progress.ts';
import { useReveal, useScreen } from './context.ts';
import { useTicker } from './useFrames.ts';
import { useConversation, useSession } from './useSession.ts';

/** Returns the Norris run in progress, and the user's controls for it. */
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

/** Returns what the conversation is doing, in a word or two; undefined when idle. */
export function activityOf(state: State): string | undefined {
  const { phase } = rootOf(state);
  // The model waits for a sub-agent's report, and that sub-agent asks the user.
  if (state.questions.length > 0) return 'waits for you';
  return phase.kind === 'idle' ? undefined : PHASE_WORDS[phase.kind];
}

/** Returns the running sub-agents, and how many tasks wait for one of them to end. */
export function useAgents(): { readonly running: readonly SubAgent[]; readonly waiting: number } {
  const sessions = useSession((state) => state.sessions);
  const waiting = useSession(waitingTasks);
  return { running: subAgents({ sessions }), waiting };
}

/** Returns the header of the current run, drawn once a second; undefined without a run. */
export function useRunFacts(): RunFacts | undefined {
  const { secrets } = useScreen().app.engine.services;
  const { run } = useNorris();
  const now = useTicker(run !== undefined);
  if (!run) return undefined;
  return { ...run, goal: secrets.reveal(run.goal), now };
}

const MAX_NAME_CHARS = 40;

/** Returns the model's running command as one short line; undefined without one. */
export function useRunsName(): string | undefined {
  const reveal = useReveal();
  return useConversation(({ phase }) => {
    if (phase.kind !== 'acting') return undefined;
    const [first, ...more] = runningOf(phase);
    if (!first) return undefined;
    const [line = ''] = visible(
      reveal(first.action.kind === 'delegate' ? first.action.task : describeAction(first.action)),
    ).split('\n');
    const name = line.length > MAX_NAME_CHARS ? `${line.slice(0, MAX_NAME_CHARS - 1)}…` : line;
    return more.length > 0 ? `${name} and ${more.length} more` : name;
  });
}
