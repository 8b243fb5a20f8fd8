import { type SubAgent, subAgents } from '../src/session/delegate.ts';
import type { State } from '../src/session/state.ts';
import { useSession } from './useSession.ts';

/** The sub-agents that run, and how many tasks wait for one to end. */
export function useAgents(): { readonly running: readonly SubAgent[]; readonly waiting: number } {
  const sessions = useSession((state) => state.sessions);
  const waiting = useSession(waitingTasks);
  return { running: subAgents({ sessions }), waiting };
}

function waitingTasks({ sessions, root }: State): number {
  const phase = sessions[root]?.phase;
  if (phase?.kind !== 'acting') return 0;
  const waits = phase.slots.filter(
    (slot, at) => slot.kind === 'approved' && phase.dispatch.actions[phase.dispatch.index + at]?.kind === 'delegate',
  );
  return waits.length;
}
