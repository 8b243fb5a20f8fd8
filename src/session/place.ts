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

/**
 * The conversation goes where the user's shell is. A model that comes to another machine, directory or branch by that
 * is told.
 * @param git the branch there and what git is in the middle of; undefined outside a repository
 */
export function goToShell(next: Transition, git: string | undefined): void {
  const { cwd } = next.state.shell;
  const { named, ...before } = next.conversation;
  const host = hostOf(cwd);
  const tell = (text: string) => next.inbox({ kind: 'note', origin: 'aish', text: `[aish] ${text}` });
  if (hostOf(before.cwd) !== host) tell(wordOf(host));
  if (named && (before.cwd !== cwd || before.git !== git)) tell(`directory: ${placeWords(cwd, git)}`);
  next.set({ cwd, git, ...(named ? { toldCwd: cwd } : {}) });
}

/** A directory with its git branch. */
export function placeWords(cwd: string, git: string | undefined): string {
  return git === undefined ? cwd : `${cwd} (git: ${git})`;
}

function wordOf(host: string | undefined): string {
  return host === undefined
    ? "commands run on the user's own machine again"
    : `commands run on the host ${host} from now on, over ssh, not on the user's own machine; patch and tools of servers don't reach it`;
}
