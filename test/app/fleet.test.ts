import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineSecrets } from '../../src/app/secrets-filter.ts';
import { createBroker } from '../../src/broker/index.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { RunningCommand } from '../../src/contracts/commands.ts';
import type { FleetMachine, FleetRun, FleetWish, OpenMachine } from '../../src/contracts/fleet.ts';
import type { Machine } from '../../src/contracts/machine.ts';
import type { Services } from '../../src/contracts/services.ts';
import { createFleetPort } from '../../src/fleet/start-and-resume.ts';
import { absentHost } from '../../src/remote/hosts/index.ts';
import { createGate } from '../../src/safety/index.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import { hostOf, placeOn } from '../../src/session/place.ts';
import { createTools } from '../../src/tools/index.ts';
import { settings } from '../support/machine.ts';
import {
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
  whenever,
} from '../support/scripted-server.ts';

/** Describes a host of these tests. */
type There = {
  /** The kind of `build` on the host; `unseen`: it can’t be inspected. */
  readonly build?: 'directory' | 'link' | 'missing' | 'unseen';
  readonly exit?: number;
  /**
   * How the host fails: it never answers, refuses the connection, vanishes during a command, has the command cut off,
   * or never starts it.
   */
  readonly fails?: 'hangs' | 'refuses' | 'vanishes' | 'is cut off' | 'never begins';
};

/** Machines that only record the commands they receive. */
class World {
  readonly ran: string[] = [];
  readonly machines = new Map<string, Machine>();
  readonly #lost = new Map<string, () => void>();
  readonly #hosts: Readonly<Record<string, There>>;

  constructor(hosts: Readonly<Record<string, There>>) {
    this.#hosts = hosts;
  }

  readonly open = async (host: string): Promise<FleetMachine | { readonly problem: string }> => {
    const there = this.#hosts[host] ?? {};
    if (there.fails === 'refuses') return { problem: 'Permission denied (publickey)' };
    return {
      machine: {
        ...absentHost(host),
        host,
        home: '/home/u',
        spawn: (command) => Promise.resolve(this.#spawn(host, there, command)),
      },
      directory: '/home/u',
      root: false,
      ask: async (code) => (there.build === 'unseen' ? undefined : answerOf(code, there.build ?? 'directory')),
      lost: new Promise((resolve) => this.#lost.set(host, () => resolve('the connection was lost'))),
      close: () => Promise.resolve(),
    };
  };

  #spawn(host: string, there: There, command: string): RunningCommand {
    this.ran.push(`${host}: ${command}`);
    const end = Promise.withResolvers<Awaited<RunningCommand['result']>>();
    const result = { cwd: placeOn(host, '/home/u'), tail: '', omittedLines: 0, bytes: 3, milliseconds: 1 };
    if (there.fails === 'vanishes') {
      this.#lost.get(host)?.();
      end.resolve({ ...result, exit: null, head: '', note: 'the connection was lost' });
    } else if (there.fails === 'is cut off')
      end.resolve({ ...result, exit: null, head: '', note: 'it was ended there' });
    else if (there.fails === 'never begins')
      end.resolve({ ...result, exit: null, head: '', note: 'it never began', began: false });
    else if (there.fails !== 'hangs') end.resolve({ ...result, exit: there.exit ?? 0, head: `done on ${host}\n` });
    const nothing = () => {};
    return {
      output: { version: 0, bytes: 0, lines: () => [], cleared: false, promptText: '', subscribe: () => nothing },
      ...{ pid: -1, fullScreen: false, asks: false, echoOff: false, asker: undefined, asksAsShell: false },
      keyboard: { disambiguates: false, applicationCursor: false, bracketsPastes: false },
      ...{ nested: undefined, onModes: () => nothing, rawOutput: () => nothing, write: nothing, resize: nothing },
      interrupt: () => end.resolve({ ...result, exit: 130, head: '', note: 'interrupted' }),
      hangUp: nothing,
      result: end.promise,
      unread: () => Promise.resolve(''),
    };
  }
}

/** Returns a host's answer to the inspection of the targets of `rm -rf build`. */
function answerOf(code: string, build: 'directory' | 'link' | 'missing'): string {
  const rows = [...code.matchAll(/^row (\d+) '([^']*)'$/gm)].map(([, index = '', path = '']) =>
    [
      index,
      path,
      build,
      build === 'link' ? '/mnt' : '',
      '/',
      'none',
      build === 'directory' ? '7' : '0',
      '900',
      '0',
    ].join('\0'),
  );
  return `${rows.join('\0')}\0end\0`;
}

let folder: string;
let model: ScriptedServer;
const hostOfRequest = ({ system }: ScriptedRequest) => /the host (\S+),/.exec(system)?.[1] ?? '';

/** Every model removes `build`, and reports at the end how that went. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aish-fleet-'));
  model = await startScriptedServer([
    whenever(() => true, {
      from: (request) => {
        if (/exit (code )?1\b/.test(request.lastUser)) return { text: 'GOAL: blocked it failed' };
        return { text: /\[aish\]/.test(request.lastUser) ? 'GOAL: complete' : 'CMD: rm -rf build' };
      },
    }),
  ]);
});
afterEach(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

function fleetsOf(world: World) {
  const filter = new SecretsFilter();
  const services: Services = {
    models: createBroker({ presets: [{ name: 'fast', baseUrl: model.baseUrl, model: 'scripted' }] }),
    gate: createGate({
      enabled: false,
      machineAt: (place) => world.machines.get(hostOf(place) ?? '') ?? absentHost(place),
    }),
    agent: { run: () => Promise.reject(new Error('nothing of a fleet runs here')) },
    user: { run: () => Promise.reject(new Error('no shell here')) },
    jobs: { adopt: () => 1, release: () => {}, running: () => [], kill: () => false },
    tools: createTools([], [], [], []),
    journal: { append: () => Promise.resolve(), hasten() {} },
    secrets: engineSecrets(filter, DEFAULTS),
    systemPrompt: 'You are aish.',
    maxAnswerTokens: 512,
    now: Date.now,
    waitSeconds: 60,
  };
  const { machines, open } = world;
  const openByAnsible = () => open;
  return createFleetPort({ folder, settings, alwaysDestructive: [], filter, services, machines, open, openByAnsible });
}

async function begin(world: World, wish: Partial<FleetWish> & Pick<FleetWish, 'hosts'>): Promise<FleetRun> {
  const fleet = await fleetsOf(world).start({ goal: 'remove the build', ...wish });
  if ('problem' in fleet) throw new Error(fleet.problem);
  return fleet;
}

function until(fleet: FleetRun, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds()) return;
      stop();
      resolve();
    };
    const stop = fleet.subscribe(look);
    look();
  });
}

const twenty = Array.from({ length: 20 }, (_, n) => `w${String(n + 1).padStart(2, '0')}`);
const statuses = (fleet: FleetRun) => Object.fromEntries(fleet.rows().map(({ host, status }) => [host, status]));

describe('twenty hosts', () => {
  it('raise three questions, for 18, 1 and 1 hosts; each answer applies only to the hosts of its question, the canary first', async () => {
    const world = new World({ w19: { build: 'link' }, w20: { build: 'missing' } });
    const fleet = await begin(world, { hosts: twenty.join(',') });
    await until(fleet, () => fleet.questions().length > 0);
    const [most, link, missing] = fleet.questions();
    expect(fleet.questions().map(({ hosts }) => hosts.length)).toEqual([18, 1, 1]);
    expect(link).toMatchObject({ hosts: ['w19'], differences: ['build: a link to /mnt'] });
    expect(missing).toMatchObject({ hosts: ['w20'], differences: ['build: nothing there'] });
    expect(world.ran).toEqual([]);

    expect(fleet.answer('another digest', ['w01'], 'proceed')).toBe(false);
    expect(fleet.answer(most?.digest ?? '', ['w01', 'w19'], 'proceed')).toBe(false);
    expect(fleet.answer(link?.digest ?? '', ['w19'], 'abort')).toBe(true);
    expect(fleet.answer(missing?.digest ?? '', ['w20'], 'skip')).toBe(true);
    expect(fleet.answer(most?.digest ?? '', most?.hosts ?? [], 'proceed')).toBe(true);
    await fleet.ended;
    expect(world.ran[0]).toBe('w01: rm -rf build');
    expect([...world.ran].sort()).toEqual(twenty.slice(0, 18).map((host) => `${host}: rm -rf build`));
    expect(statuses(fleet)).toMatchObject({ w01: 'done', w18: 'done', w19: 'aborted', w20: 'done' });
  });

  it('are reached over ssh by name, not by their inventory addresses, and the user is told when the name alone fails', async () => {
    const inventory = join(folder, 'inventory.ini');
    writeFileSync(inventory, '[web]\nw01 ansible_host=203.0.113.9\nw02\n');
    const world = new World({ w01: { fails: 'refuses' }, w02: { fails: 'refuses' } });
    const fleet = await begin(world, { hosts: '@web', inventory });
    await fleet.ended;
    const [w01, w02] = fleet.rows();
    expect(w01?.reason).toContain('add w01 to ~/.ssh/config');
    expect(w01?.reason).not.toContain('203.0.113.9');
    expect(w02?.reason).toBe('Permission denied (publickey)');
  });

  it('stop at the canary’s failure, and nothing runs on the other hosts', async () => {
    const world = new World({ w07: { exit: 1 } });
    const fleet = await begin(world, { hosts: twenty.join(','), canary: 'w07' });
    await until(fleet, () => fleet.questions().length > 0);
    const [all] = fleet.questions();
    expect(all?.hosts).toHaveLength(20);
    fleet.answer(all?.digest ?? '', all?.hosts ?? [], 'proceed');
    await fleet.ended;
    expect(world.ran).toEqual(['w07: rm -rf build']);
    expect(statuses(fleet)).toMatchObject({ w07: 'blocked', w01: 'stopped', w20: 'stopped' });
    expect(fleet.rows()[0]?.reason).toBe('the canary w07 ended as blocked');
  });

  it('show a hanging, a refusing and a vanished host in a row each, and the others finish', async () => {
    const world = new World({ w02: { fails: 'hangs' }, w03: { fails: 'refuses' }, w04: { fails: 'vanishes' } });
    const fleet = await begin(world, { hosts: twenty.join(','), deadlineSeconds: 3 });
    await until(fleet, () => fleet.questions().length > 0);
    const [all] = fleet.questions();
    expect(all?.hosts).toHaveLength(19);
    fleet.answer(all?.digest ?? '', all?.hosts ?? [], 'proceed');
    await fleet.ended;
    expect(statuses(fleet)).toMatchObject({
      w01: 'done',
      w02: 'no answer',
      w03: 'unreachable',
      w04: 'lost',
      w05: 'done',
    });
    expect(fleet.rows().filter(({ status }) => status === 'done')).toHaveLength(17);
    expect(world.ran).toHaveLength(19);
  });
});

it('a host is not done while it is unknown how a command ended, whatever the model says, but may continue if the command never started', async () => {
  const world = new World({ b: { fails: 'is cut off' }, c: { fails: 'never begins' } });
  const fleet = await begin(world, { hosts: 'a,b,c' });
  await until(fleet, () => fleet.questions().length > 0);
  const [all] = fleet.questions();
  fleet.answer(all?.digest ?? '', all?.hosts ?? [], 'proceed');
  await fleet.ended;
  expect(statuses(fleet)).toEqual({ a: 'done', b: 'unknown', c: 'done' });
  expect(fleet.rows()[1]?.reason).toBe('nobody knows how this ended: rm -rf build');
});

it('a command whose targets could not be inspected is asked about for each host separately', async () => {
  const world = new World({ a: { build: 'unseen' }, b: { build: 'unseen' } });
  const fleet = await begin(world, { hosts: 'a,b,c' });
  await until(fleet, () => fleet.questions().length > 0);
  expect(fleet.questions().map(({ hosts }) => hosts)).toEqual([['a'], ['b'], ['c']]);
  fleet.stop('enough');
  await fleet.ended;
  expect(world.ran).toEqual([]);
});

it('a fleet stopped while it connects ends once nothing is left on the hosts', async () => {
  let isLeft = false;
  const open: OpenMachine = async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    isLeft = true;
    return { problem: 'no longer wanted' };
  };
  const fleet = await begin(Object.assign(new World({}), { open }), { hosts: 'a' });
  fleet.stop('enough');
  await fleet.ended;
  expect(isLeft).toBe(true);
});

it('at most n hosts call the model at a time, and every host has its own conversation', async () => {
  const world = new World({});
  const fleet = await begin(world, { hosts: 'a,b,c,d', atOnce: 2 });
  let most = 0;
  fleet.subscribe(() => {
    most = Math.max(most, fleet.rows().filter(({ status }) => status === 'running').length);
  });
  await until(fleet, () => fleet.questions().length > 0);
  const [all] = fleet.questions();
  fleet.answer(all?.digest ?? '', all?.hosts ?? [], 'proceed');
  await fleet.ended;
  expect(most).toBeLessThanOrEqual(2);
  expect([...new Set(model.requests.map(hostOfRequest))].sort()).toEqual(['a', 'b', 'c', 'd']);
  for (const { text } of model.requests) expect(new Set(text.match(/done on [a-d]/g)).size).toBeLessThanOrEqual(1);
});

it('a killed fleet continues where it was: neither finished hosts nor started commands run again', async () => {
  const world = new World({ b: { fails: 'hangs' } });
  const fleet = await begin(world, { hosts: 'a,b,c', deadlineSeconds: 600 });
  await until(fleet, () => fleet.questions().length > 0);
  const [all] = fleet.questions();
  fleet.answer(all?.digest ?? '', ['a', 'b'], 'proceed');
  await until(fleet, () => world.ran.length === 2 && statuses(fleet).a === 'done');
  // A kill leaves what is on disk, and another program continues from the journals.
  const later = new World({});
  const again = await fleetsOf(later).resume();
  if ('problem' in again) throw new Error(again.problem);
  await until(again, () => again.questions().length > 0);
  expect(statuses(again)).toEqual({ a: 'done', b: 'unknown', c: 'halted' });
  const [open] = again.questions();
  expect(open?.hosts).toEqual(['c']);
  again.answer(open?.digest ?? '', ['c'], 'proceed');
  await again.ended;
  expect(later.ran).toEqual(['c: rm -rf build']);
  expect(await fleetsOf(later).resume()).toMatchObject({ problem: expect.stringContaining('has ended') });
  fleet.stop('the test is over');
  await fleet.ended;
});

it('a secret in the goal is in no journal', async () => {
  const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`;
  const world = new World({});
  const fleet = await begin(world, { hosts: 'a', goal: `use ${secret}` });
  await until(fleet, () => fleet.questions().length > 0);
  fleet.stop('enough');
  await fleet.ended;
  for (const name of ['fleet.jsonl', 'a.jsonl'])
    expect(readFileSync(join(folder, 'fleets/1', name), 'utf8')).not.toContain(secret);
});
