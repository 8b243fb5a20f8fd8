/**
 * A place is where a command runs: a directory of this machine (`/srv`), or of a host (`web1:/srv`). Every working
 * directory of the session is one, so what was judged for one machine is bound to it, and whoever takes a place of a
 * host for a path of this machine finds nothing there.
 */
import type { Transition } from './transition.ts';

/** The host of a place; undefined: this machine. */
export function hostOf(place: string): string | undefined {
  return /^[^/].*?(?=:\/)/.exec(place)?.[0];
}

/** The directory on the machine of the place. */
export function directoryAt(place: string): string {
  const host = hostOf(place);
  return host === undefined ? place : place.slice(host.length + 1);
}

/** @param directory an absolute path on that machine */
export function placeOn(host: string | undefined, directory: string): string {
  return host === undefined ? directory : `${host}:${directory}`;
}

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
