/** The change stores on remote hosts, one for each host with the launcher. */
import type { Leftover, RunningCommand } from '../contracts/commands.ts';
import type { Trials } from '../contracts/trials.ts';
import type { UndoPort } from '../contracts/undo.ts';
import { statusOf } from '../effects/sandbox/index.ts';
import { FarStore, FarTrialDisk, ranFar, TrialStore } from '../effects/undo/index.ts';
import type { HostOptions, Hosts, RemoteSandbox } from '../remote/hosts/index.ts';
import { directoryAt, hostOf, placeOn } from '../session/place.ts';
import { visible } from '../text/sanitize.ts';
import { gainsRights, NOT_RECORDED } from './executors.ts';
import { remoteProjectTree } from './project-tree.ts';
import { storeSettings, trialSettings, type UndoNeeds } from './undo.ts';

export type RemoteUndo = {
  /** The store on a host; undefined without the launcher. */
  store(host: string): FarStore | undefined;
  readonly keep: NonNullable<HostOptions['keep']>;
  /** What a command in Project mode has left there for the user to decide on; undefined if it ran elsewhere. */
  left(running: RunningCommand): Promise<Leftover | undefined> | undefined;
  /** Why changes are not recorded at this place of a host. */
  unavailable(place: string): Promise<string | undefined>;
  /** The undo port of the host in this place. */
  at(place: string): UndoPort | undefined;
};

export function createRemoteUndo(
  needs: UndoNeeds,
  hosts: () => Pick<Hosts, 'sandbox' | 'isRoot' | 'standing'>,
): RemoteUndo {
  const stores = new WeakMap<RemoteSandbox, FarStore>();
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
        const tree = remoteProjectTree(await hosts().standing(host, directory));
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
      if ((await there.unavailable()) === undefined) needs.bus?.show(NOT_RECORDED);
      return undefined;
    },
  };
}

/** Makes `:undo` act on the machine that gets the user's lines. */
export function undoOfCurrentMachine(here: UndoPort, there: RemoteUndo, place: () => string): UndoPort {
  const port = () => there.at(place()) ?? here;
  return {
    unavailable: () => port().unavailable(),
    list: () => port().list(),
    preview: (target) => port().preview(target),
    undo: (target, shown) => port().undo(target, shown),
    forget: (target) => port().forget(target),
  };
}

// Trials, on this machine and on each host that has the launcher.

type HostsOfTrials = Pick<Hosts, 'sandbox' | 'standing' | 'try'>;

/** Returns the trials on a host; undefined without launcher or connection. */
type RemoteTrials = (host: string) => TrialStore | undefined;

/** @param store returns the store on the host that records an applied trial */
export function createRemoteTrials(
  needs: UndoNeeds,
  hosts: () => HostsOfTrials,
  store: (host: string) => FarStore | undefined,
): RemoteTrials {
  const known = new WeakMap<RemoteSandbox, TrialStore>();
  return (host) => {
    const sandbox = hosts().sandbox(host);
    if (!sandbox) return undefined;
    const trials = known.get(sandbox) ?? trialsOn(host, sandbox, needs, hosts, store);
    known.set(sandbox, trials);
    return trials;
  };
}

function trialsOn(
  host: string,
  sandbox: RemoteSandbox,
  needs: UndoNeeds,
  hosts: () => HostsOfTrials,
  store: (host: string) => FarStore | undefined,
): TrialStore {
  const disk = new FarTrialDisk({
    host,
    directory: `${sandbox.placed.directory}/undo`,
    ask: (code) => sandbox.ask(code),
    work: (code) => sandbox.work(code),
    launch: (...work) => sandbox.launch(...work),
    probe: () => sandbox.whyNothingTried(),
    directoryOf: directoryAt,
    async treeOf(directory) {
      const there = await hosts().standing(host, directory);
      return there && { cwd: there.cwd, tree: remoteProjectTree(there) ?? there.cwd };
    },
  });
  const trials = new TrialStore({
    ...trialSettings(needs),
    disk,
    async run(command, { directory, trees, spaceBytes, asProject }, { cwd, signal, env }) {
      const trial = { store: directory, trees, spaceBytes, asProject };
      const running = await hosts().try(host, command, { place: cwd, signal, env, trial });
      return { command: running, status: async () => statusOf((await sandbox.told(trial)) ?? 'started') };
    },
    rollBack(number) {
      const kept = store(host);
      return kept ? kept.rollBack(number) : Promise.resolve(`${visible(host)} does not answer`);
    },
  });
  // Removes trials of programs that no longer run.
  void trials.discardAbandoned();
  return trials;
}

/** Combines the trials of all machines; the name of a remote trial begins with its host. */
export function trialsOfAll(here: Trials, there: RemoteTrials): Trials {
  const at = (place: string) => {
    const host = hostOf(place);
    return host === undefined ? { trials: here, host } : { trials: there(host), host };
  };
  const named = (id: string) => {
    const [, host, number = ''] = /^(.+):(\d+)$/.exec(id) ?? [];
    return host === undefined ? { trials: here, number: id } : { trials: there(host), number };
  };
  return {
    async unavailable(place = '/') {
      const { trials, host = '' } = at(place);
      const none = `nothing can be tried on ${visible(host)} without the launcher; :host launcher puts it there`;
      return trials ? trials.unavailable() : none;
    },
    async start(command, options) {
      const { trials, host } = at(options.cwd);
      if (!trials) throw new Error(`nothing can be tried on ${host}`);
      const running = await trials.start(command, options);
      if (host === undefined) return running;
      const outcome = running.outcome.then((told) =>
        told.kind === 'changes' ? { ...told, id: `${host}:${told.id}` } : told,
      );
      return { ...running, outcome };
    },
    async diff(id) {
      const { trials, number } = named(id);
      return trials ? trials.diff(number) : 'this trial no longer exists';
    },
    async apply(id, digest) {
      const { trials, number } = named(id);
      return trials ? trials.apply(number, digest) : { ok: false, text: 'this trial no longer exists' };
    },
    async discard(id) {
      const { trials, number } = named(id);
      await trials?.discard(number);
    },
    discardAbandoned: () => here.discardAbandoned(),
  };
}
