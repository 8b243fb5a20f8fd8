/** Starts and continues the fleets of a session, each in its own folder below the session's. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetMachine, FleetPort, FleetWish, OpenMachine } from '../contracts/fleet.ts';
import type { Machine } from '../contracts/machine.ts';
import type { Preplanner } from '../contracts/models.ts';
import type { Services } from '../contracts/services.ts';
import { JobRegistry } from '../executor/index.ts';
import {
  type FleetState,
  fleetEventOf,
  hasEnded,
  inventoryHosts,
  joinKnown,
  type Known,
  NO_FLEET,
  reduceFleet,
  resolveHosts,
  sshHosts,
} from '../remote/fleet/index.ts';
import { survey } from '../safety/index.ts';
import { handlesIn, type SecretsFilter } from '../secrets/index.ts';
import { hostOf } from '../session/place.ts';
import type { Settings } from '../session/state.ts';
import { openJournal, readJournal } from '../store/index.ts';
import { BASH, createTools } from '../tools/index.ts';
import { WorkingFleet } from './fleet-run.ts';

const AT_ONCE = 20;
const DEADLINE_SECONDS = 600;
const MAX_FLEETS = 1000;
/**
 * The seconds after which a host’s command would become a job: never. Its conversation waits for its end, up to the
 * deadline.
 */
const NO_JOBS_SECONDS = 2 ** 31 / 1000 - 1;
/** Ansible's default path. */
const INVENTORY = '/etc/ansible/hosts';

export type FleetParts = {
  /** The session's folder, which contains those of its fleets. */
  readonly folder: string;
  /** The settings of a local conversation; a host has no sandbox. */
  readonly settings: Settings;
  /** Globs of tool names that always HALT. */
  readonly alwaysDestructive: readonly string[];
  readonly filter: SecretsFilter;
  /** Shared with the session: models, gate, costs, secrets. */
  readonly services: Services;
  /** The machines of running fleets by name, for the gate and the executors. */
  readonly machines: Map<string, Machine>;
  readonly open: OpenMachine;
  /** @param seconds a command's time limit */
  readonly openByAnsible: (seconds: number) => OpenMachine;
};

export function createFleetPort(parts: FleetParts): FleetPort {
  const folderOf = (number: number) => join(parts.folder, 'fleets', String(number));
  let next = 1;
  while (next < MAX_FLEETS && existsSync(folderOf(next))) next += 1;
  return {
    async start(wish) {
      const listed = await inventories(wish);
      if (typeof listed === 'string') return { problem: listed };
      const known = joinKnown([await sshHosts(process.env.HOME ?? '/'), ...listed]);
      const named = resolveHosts(wish.hosts, known);
      if (!named.ok) return { problem: named.problem };
      const { hosts } = named;
      const { canary, via, atOnce = AT_ONCE, deadlineSeconds = DEADLINE_SECONDS } = wish;
      if (canary !== undefined && !hosts.includes(canary))
        return { problem: `canary ${canary} is not in the host list` };
      const deadlineMs = deadlineSeconds * 1000;
      const chosen = { ...(canary === undefined ? {} : { canary }), ...(via === undefined ? {} : { via }) };
      const options = { goal: wish.goal, hosts, atOnce, deadlineMs, ...chosen };
      const open = withAddressHint(openingOf(parts, options), known);
      const fleet = await openFleet({ ...parts, open }, folderOf(next), []);
      next += 1;
      await fleet.begin({ type: 'fleetOpened', ...options });
      return fleet;
    },
    async resume() {
      const folder = folderOf(next - 1);
      const { events, goodBytes, damage, problem } = await readJournal(join(folder, 'fleet.jsonl'));
      const why = problem ?? damage;
      if (why !== undefined) return { problem: `the fleet's journal can't be read: ${why}` };
      const known = events.map(fleetEventOf).filter((event) => event !== undefined);
      if (known.length !== events.length) return { problem: 'the fleet was written by another version of the program' };
      const state = known.reduce((before, event) => reduceFleet(before, event)[0], NO_FLEET);
      if (known.length === 0) return { problem: 'this session has no fleet to resume' };
      if (hasEnded(state)) return { problem: 'the last fleet of this session has ended on every host' };
      const fleet = await openFleet({ ...parts, open: openingOf(parts, state) }, folder, known, goodBytes);
      await fleet.begin({ type: 'fleetResumed' });
      return fleet;
    },
  };
}

function openingOf(
  { open, openByAnsible }: FleetParts,
  { via, deadlineMs }: Pick<FleetState, 'via' | 'deadlineMs'>,
): OpenMachine {
  return via === 'ansible' ? openByAnsible(deadlineMs / 1000) : open;
}

/**
 * ssh gets only names: otherwise the author of an inventory could choose where keys and commands go. A failed
 * connection explains that.
 */
function withAddressHint(open: OpenMachine, { hosts }: Known): OpenMachine {
  return async (host, signal) => {
    const opened = await open(host, signal);
    if (!('problem' in opened) || hosts.get(host)?.host === undefined) return opened;
    return {
      problem: `${opened.problem}; the inventory’s address is not passed to ssh: add ${host} to ~/.ssh/config`,
    };
  };
}

/**
 * Reads the given inventory, else Ansible’s default, if a group is requested. A string says that the given one lists no
 * hosts.
 */
async function inventories({ hosts, inventory }: FleetWish) {
  const path = inventory ?? process.env.ANSIBLE_INVENTORY ?? INVENTORY;
  if (inventory === undefined && (!hosts.includes('@') || !existsSync(path))) return [];
  const found = await inventoryHosts(path);
  if (inventory !== undefined && !found?.groups.get('all')?.length)
    return `${path} lists no host: INI and YAML are read, and nothing in them is run; what a program or a plugin lists, write out first: ansible-inventory -i ${path} --list --yaml --output hosts.yml`;
  return found ? [found] : [];
}

async function openFleet(
  { settings, alwaysDestructive, filter, services, machines, open }: FleetParts,
  folder: string,
  events: ConstructorParameters<typeof WorkingFleet>[0]['events'],
  goodBytes = 0,
): Promise<WorkingFleet> {
  const journal = openJournal(join(folder, 'fleet.jsonl'), { seq: events.length, goodBytes, onFailure: () => {} });
  const mine = new Set<string>();
  const goalNow = { text: events.find((event) => event.type === 'fleetOpened')?.goal ?? '' };
  const preplanner = services.preplanner && planOnce(services.preplanner);
  return new WorkingFleet({
    events,
    append(event) {
      if (event.type === 'fleetOpened') goalNow.text = event.goal;
      return journal.append(event);
    },
    hide: (value) => filter.hide(value),
    now: services.now,
    host: (host) => ({
      host,
      goal: goalNow.text,
      journal: join(folder, `${encodeURIComponent(host)}.jsonl`),
      // Hosts have no sandbox, so only Unrestricted runs commands, and anything not proven safe asks.
      settings: { ...settings, sandbox: false, project: false },
      open,
      join(machine) {
        machines.set(host, machine.machine);
        mine.add(host);
      },
      services: (machine) => ({
        ...hostServices(services, machine, machines),
        ...(preplanner ? { preplanner } : {}),
        tools: createTools([BASH], [], [], alwaysDestructive),
        systemPrompt: `${services.systemPrompt}\n\nYou work on the host ${host}, one of several with the same goal. Every command runs there.`,
      }),
      namedBy: (command, directory, home) => survey(command, directory, home).named,
    }),
    async close() {
      for (const host of mine) machines.delete(host);
      await journal.close();
    },
  });
}

/** Makes one plan for all hosts at the first request. */
function planOnce(preplanner: Preplanner): Preplanner {
  let made: ReturnType<Preplanner['plan']> | undefined;
  return {
    plan(preset, goal, tasksMax, signal, category) {
      // A new plan depends on what happened on that machine.
      if (category === 'norris-replan') return preplanner.plan(preset, goal, tasksMax, signal, category);
      // The call is not cancelled with the host that requested it, because the other hosts use it too.
      made ??= preplanner.plan(preset, goal, tasksMax, new AbortController().signal);
      return made;
    },
  };
}

function hostServices(
  services: Services,
  machine: FleetMachine,
  machines: ReadonlyMap<string, Machine>,
): Omit<Services, 'journal'> {
  const { journal: _, trials: __, projectTree: ___, ...shared } = services;
  return {
    ...shared,
    agent: {
      run(command, options) {
        const there = machines.get(hostOf(options.cwd) ?? '');
        // A command meant for a host runs there or nowhere.
        if (there !== machine.machine) return Promise.reject(new Error('the host is not connected'));
        return there.spawn(command, options);
      },
    },
    user: { run: () => Promise.reject(new Error('there is no shell of the user in a fleet')) },
    jobs: new JobRegistry(),
    waitSeconds: NO_JOBS_SECONDS,
    secrets: {
      ...services.secrets,
      // The directories of a host are not on this machine.
      entered() {},
      restore(told, written) {
        const restored = services.secrets.restore(told, written);
        const text = 'not run: secrets of this machine do not go to the hosts of a fleet';
        return handlesIn(JSON.stringify(told)).length > 0 ? { kind: 'unknown', text } : restored;
      },
    },
  };
}
