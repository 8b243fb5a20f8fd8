import { hostOf } from './place.ts';
import type { Transition } from './transition.ts';

/** The conversation goes where the user's shell is; a model that comes to another machine by that is told. */
export function goToShell(next: Transition): void {
  const { cwd } = next.state.shell;
  const host = hostOf(cwd);
  if (hostOf(next.conversation.cwd) !== host) next.inbox({ kind: 'note', origin: 'aish', text: wordOf(host) });
  next.set({ cwd });
}

function wordOf(host: string | undefined): string {
  return host === undefined
    ? "[aish] commands run on the user's own machine again"
    : `[aish] commands run on the host ${host} from now on, over ssh, not on the user's own machine; patch and tools of servers don't reach it`;
}
