/** The change stores and trials on remote hosts, one of each for a host with the launcher. */
import type { Leftover, RunningCommand } from '../contracts/commands.ts';
import type { Trials } from '../contracts/trials.ts';
import type { UndoPort } from '../contracts/undo.ts';
import { statusOf } from '../effects/sandbox/index.ts';
import { ChangeStore, diskThere, SHARED_PLACES, TrialStore } from '../effects/undo/index.ts';
import type { HostOptions, Hosts, RemoteSandbox } from '../remote/hosts/index.ts';
import { directoryAt, hostOf, placeOn } from '../session/place.ts';
import { visible } from '../text/sanitize.ts';
import { gainsRights, NOT_RECORDED } from './executors.ts';
import { remoteProjectTree } from './project-tree.ts';
import { storeSettings, trialSettings, type UndoNeeds } from './undo.ts';

type UsedHosts = Pick<Hosts, 'sandbox' | 'isRoot' | 'standing' | 'try'>;

export type RemoteUndo = {
  /** The store on a host; undefined without the launcher. */
  store(host: string): ChangeStore | undefined;
  /** The trials on a host; undefined without launcher or connection. */
  trials(host: string): TrialStore | undefined;
  readonly keep: NonNullable<HostOptions['keep']>;
  /**
   * Returns the files that a command in Project mode has left on the host for the user to decide on; undefined if it
   * ran elsewhere.
   */
  left(running: RunningCommand): Promise<Leftover | undefined> | undefined;
  /** Why changes are not recorded at this place of a host. */
  unavailable(place: string): Promise<string | undefined>;
  /** The undo port of the host in this place. */
  at(place: string): UndoPort | undefined;
};

export function createRemoteUndo(needs: UndoNeeds, hosts: () => UsedHosts): RemoteUndo {
  const known = new WeakMap<RemoteSandbox, { readonly store: ChangeStore; readonly trials: TrialStore }>();
  const leftovers = new WeakMap<RunningCommand, Promise<Leftover | undefined>>();
  const effects = (host: string) => {
    const sandbox = hosts().sandbox(host);
    if (!sandbox) return undefined;
    const made = known.get(sandbox) ?? effectsOn(host, sandbox, needs, hosts);
    known.set(sandbox, made);
    return made;
  };
  const store = (host: string) => effects(host)?.store;
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
    trials: (host) => effects(host)?.trials,
    at,
    unavailable: async (place) => at(place)?.unavailable(),
    left: (running) => leftovers.get(running),
    async keep(host, command, place, mode) {
      const there = store(host);
      if (!there) return undefined;
      const directory = directoryAt(place);
      const inProject = mode === 'project';
      if (!inProject && gainsRights(command, hosts().isRoot(host))) {
        if ((await there.unavailable()) === undefined) needs.bus?.show(NOT_RECORDED);
        return undefined;
      }
      const tree = inProject ? remoteProjectTree(await hosts().standing(host, directory)) : undefined;
      if (inProject && tree === undefined) return undefined;
      const kept = await there.keepCommand(command, inProject ? place : placeOn(host, directory), tree, directory);
      return (
        kept && {
          ...kept,
          end(began, running) {
            const left = kept.end(began).catch(() => undefined);
            if (running) leftovers.set(running, left);
          },
        }
      );
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

function effectsOn(host: string, sandbox: RemoteSandbox, needs: UndoNeeds, hosts: () => UsedHosts) {
  const disk = diskThere({
    host,
    directory: `${sandbox.placed.directory}/undo`,
    ask: (code) => sandbox.ask(code),
    run: (...work) => sandbox.launch(...work),
    whyNothingKept: () => sandbox.whyNothingKept(),
  });
  const store = new ChangeStore({ ...storeSettings(needs), disk });
  const trials = new TrialStore({
    ...{ ...trialSettings(needs), disk },
    probe: () => sandbox.whyNothingTried(),
    async viewOf(place) {
      const there = await hosts().standing(host, directoryAt(place));
      const free = there && (await sandbox.ask(FREE_PLACES));
      if (!there || free?.exit !== 0) throw new Error(`${host} does not say where its directory lies`);
      const { cwd } = there;
      const named = free.text.split('\0');
      return { cwd, tree: remoteProjectTree(there) ?? cwd, free: SHARED_PLACES.filter((each) => named.includes(each)) };
    },
    async run(command, { directory, trees, spaceBytes, asProject }, { cwd, signal, env }) {
      const trial = { store: directory, trees, spaceBytes, asProject };
      const running = await hosts().try(host, command, { place: cwd, signal, env, trial });
      return { command: running, status: async () => statusOf((await sandbox.told(trial)) ?? 'started') };
    },
    rollBack: (number) => store.rollBack(number),
  });
  // Removes trials of programs that no longer run.
  void trials.discardAbandoned();
  return { store, trials };
}

/** Tells which of them are directories of that name, with nothing mounted in them. */
const FREE_PLACES = `(for p in ${SHARED_PLACES.join(' ')}; do
  [ ! -h "$p" ] && cd -P "$p" && [ "$(pwd -P)" = "$p" ] || continue
  grep -q "^[^ ]* [^ ]* [^ ]* [^ ]* $p/" /proc/self/mountinfo || printf '%s\\0' "$p"
done; exit 0)`;

// Trials, on this machine and on each host that has the launcher.

/** Combines the trials of all machines; the name of a remote trial begins with its host. */
export function trialsOfAll(here: Trials, there: RemoteUndo['trials']): Trials {
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
