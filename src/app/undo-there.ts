/** The change stores on hosts, one for each that has the launcher, as this session uses them. */
import type { Leftover, RunningCommand } from '../contracts/commands.ts';
import type { UndoPort } from '../contracts/undo.ts';
import { FarStore, ranFar } from '../effects/undo/index.ts';
import type { HostOptions, Hosts, SandboxThere } from '../remote/hosts/index.ts';
import { directoryAt, hostOf, placeOn } from '../session/place.ts';
import { visible } from '../text/sanitize.ts';
import { gainsRights, NOT_KEPT } from './executors.ts';
import { treeThere } from './project-tree.ts';
import { storeSettings, type UndoNeeds } from './undo.ts';

export type UndoThere = {
  /** Of a host that has the launcher; undefined: there is nothing. */
  store(host: string): FarStore | undefined;
  readonly keep: NonNullable<HostOptions['keep']>;
  /** What a command in Project there has left that the user decides on; undefined: it ran elsewhere. */
  left(running: RunningCommand): Promise<Leftover | undefined> | undefined;
  /** Why nothing of a command is kept at a place of a host. */
  unavailable(place: string): Promise<string | undefined>;
  /** That of the host that a place is on. */
  at(place: string): UndoPort | undefined;
};

export function createUndoThere(
  needs: UndoNeeds,
  hosts: () => Pick<Hosts, 'sandbox' | 'isRoot' | 'standing'>,
): UndoThere {
  const stores = new WeakMap<SandboxThere, FarStore>();
  const leftovers = new WeakMap<RunningCommand, Promise<Leftover | undefined>>();
  const store = (host: string) => {
    const sandbox = hosts().sandbox(host);
    if (!sandbox) return undefined;
    const known = stores.get(sandbox);
    if (known) return known;
    const fresh = new FarStore({
      ...storeSettings(needs),
      host,
      directory: `${sandbox.placed.directory}/undo`,
      ask: (code) => sandbox.ask(code),
      work: (code) => sandbox.work(code),
      async launch(args) {
        return ranFar(args, await sandbox.launch(args));
      },
      probe: () => sandbox.whyNothingKept(),
    });
    stores.set(sandbox, fresh);
    return fresh;
  };
  const none = (host: string): UndoPort => {
    const text = `nothing is kept on ${visible(host)} without the launcher; :host launcher puts it there`;
    const refused = () => Promise.resolve({ ok: false, text });
    return {
      unavailable: () => Promise.resolve(text),
      list: () => Promise.resolve([]),
      ...{ preview: refused, undo: refused, forget: refused },
    };
  };
  const at = (place: string) => {
    const host = hostOf(place);
    return host === undefined ? undefined : (store(host) ?? none(host));
  };
  return {
    store,
    at,
    unavailable: async (place) => at(place)?.unavailable(),
    left: (running) => leftovers.get(running),
    async keep(host, command, place, mode) {
      const there = store(host);
      if (!there) return undefined;
      const directory = directoryAt(place);
      if (mode === 'project') {
        const tree = treeThere(await hosts().standing(host, directory));
        const kept = tree === undefined ? undefined : await there.keepCommand(command, place, tree, true);
        return (
          kept && {
            ...kept,
            end(began, running) {
              const left = kept.end(began).catch(() => undefined);
              if (running) leftovers.set(running, left);
            },
          }
        );
      }
      if (!gainsRights(command, hosts().isRoot(host)))
        return there.keepCommand(command, placeOn(host, directory), directory);
      if ((await there.unavailable()) === undefined) needs.bus?.show(NOT_KEPT);
      return undefined;
    },
  };
}

/** `:undo` takes back what was done where the user's lines go. */
export function undoWhereLinesGo(here: UndoPort, there: UndoThere, place: () => string): UndoPort {
  const port = () => there.at(place()) ?? here;
  return {
    unavailable: () => port().unavailable(),
    list: () => port().list(),
    preview: (target) => port().preview(target),
    undo: (target, shown) => port().undo(target, shown),
    forget: (target) => port().forget(target),
  };
}
