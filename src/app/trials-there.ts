/** Trials on hosts, for each that has the launcher, and those of this machine behind one door. */
import type { Trials } from '../contracts/trials.ts';
import { statusOf } from '../effects/sandbox/index.ts';
import { type FarStore, FarTrialDisk, TrialStore } from '../effects/undo/index.ts';
import type { Hosts, SandboxThere } from '../remote/hosts/index.ts';
import { directoryAt, hostOf } from '../session/place.ts';
import { visible } from '../text/sanitize.ts';
import { treeThere } from './project-tree.ts';
import { trialSettings, type UndoNeeds } from './undo.ts';

type HostsOfTrials = Pick<Hosts, 'sandbox' | 'standing' | 'try'>;

/** The trials of a host; undefined: it has no launcher, or no connection. */
export type TrialsThere = (host: string) => TrialStore | undefined;

/** @param store what an applied trial is kept in, there */
export function createTrialsThere(
  needs: UndoNeeds,
  hosts: () => HostsOfTrials,
  store: (host: string) => FarStore | undefined,
): TrialsThere {
  const known = new WeakMap<SandboxThere, TrialStore>();
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
  sandbox: SandboxThere,
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
      return there && { cwd: there.cwd, tree: treeThere(there) ?? there.cwd };
    },
  });
  const trials = new TrialStore({
    ...trialSettings(needs),
    disk,
    async run(command, { directory, trees, spaceBytes }, { cwd, signal, env }) {
      const trial = { store: directory, trees, spaceBytes };
      const running = await hosts().try(host, command, { place: cwd, signal, env, trial });
      return { command: running, status: async () => statusOf((await sandbox.told(trial)) ?? 'started') };
    },
    rollBack(number) {
      const kept = store(host);
      return kept ? kept.rollBack(number) : Promise.resolve(`${visible(host)} does not answer`);
    },
  });
  // What programs that are gone have left there.
  void trials.discardAbandoned();
  return trials;
}

/** One door for all machines: a trial on a host is named after it. */
export function trialsOfAll(here: Trials, there: TrialsThere): Trials {
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
      return trials ? trials.diff(number) : 'this trial is gone';
    },
    async apply(id, digest) {
      const { trials, number } = named(id);
      return trials ? trials.apply(number, digest) : { ok: false, text: 'this trial is gone' };
    },
    async discard(id) {
      const { trials, number } = named(id);
      await trials?.discard(number);
    },
    discardAbandoned: () => here.discardAbandoned(),
  };
}
