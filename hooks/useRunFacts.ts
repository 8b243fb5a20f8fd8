import { describeAction } from '../src/session/action.ts';
import { sumOf } from '../src/session/cost.ts';
import { runningOf } from '../src/session/slots.ts';
import { visible } from '../src/text/sanitize.ts';
import type { RunFacts } from '../src/ui/screen/run-header.ts';
import { useReveal, useScreen } from './context.ts';
import { useTicker } from './useFrames.ts';
import { useNorris } from './useNorris.ts';
import { useConversation, useSession } from './useSession.ts';

/** What the header of the run says, drawn once a second; undefined where none is under way. */
export function useRunFacts(): RunFacts | undefined {
  const { secrets } = useScreen().app.engine.services;
  const { run } = useNorris();
  const now = useTicker(run !== undefined);
  const spent = useSession((state) => sumOf(state.costs.rows).dollars);
  if (!run) return undefined;
  const dollars = spent - sumOf(run.costsBefore?.rows ?? []).dollars;
  return { ...run, goal: secrets.reveal(run.goal), now, dollars };
}

const MAX_NAME_CHARS = 40;

/** The model's command that runs, as one short line; undefined where none does. */
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
