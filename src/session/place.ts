/**
 * A place is a directory of this machine (`/srv`) or of a host (`web1:/srv`). Every working directory of the session is
 * a place, so a judgement stays bound to its machine. Code that mistakes a host's place for a local path finds no such
 * file.
 */
import type { Transition } from './transition.ts';

/** Returns the host of a place; undefined: this machine. */
export function hostOf(place: string): string | undefined {
  return /^[^/].*?(?=:\/)/.exec(place)?.[0];
}

/** Returns the directory on the place's machine. */
export function directoryAt(place: string): string {
  const host = hostOf(place);
  return host === undefined ? place : place.slice(host.length + 1);
}

/** @param directory an absolute path on that machine */
export function placeOn(host: string | undefined, directory: string): string {
  return host === undefined ? directory : `${host}:${directory}`;
}

/**
 * Moves the conversation to the directory of the user's shell, and tells the model about a new machine, directory or
 * branch.
 * @param git the branch with any unfinished git operation; undefined outside a repository
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

/** Formats a directory with its git branch. */
export function placeWords(cwd: string, git: string | undefined): string {
  return git === undefined ? cwd : `${cwd} (git: ${git})`;
}

function wordOf(host: string | undefined): string {
  return host === undefined
    ? "commands run on the user's own machine again"
    : `commands run on the host ${host} from now on, over ssh, not on the user's own machine; patch and tools of servers don't reach it`;
}
