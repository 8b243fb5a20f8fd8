import { describe, expect, it } from 'vitest';
import type {
  FleetAnswer,
  FleetPort,
  FleetRow,
  FleetRun,
  FleetWish,
  HaltFacts,
  HaltGroup,
} from '../../src/contracts/fleet.ts';
import { groupHalts } from '../../src/remote/fleet/index.ts';
import { type Stage, setStage } from './stage.tsx';

/** A fleet in a state that the test sets, which records its instructions. */
class Fleet implements FleetRun {
  readonly goal: string;
  readonly answers: (readonly [hosts: readonly string[], answer: FleetAnswer])[] = [];
  stopped: string | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #over = Promise.withResolvers<void>();
  readonly #rows: Map<string, FleetRow>;
  #halts: readonly HaltFacts[] = [];

  constructor({ goal, hosts }: FleetWish) {
    this.goal = goal;
    const fresh = { status: 'running', ended: false, reason: '', milliseconds: 0, commands: [], output: '', said: '' };
    this.#rows = new Map(hosts.split(',').map((host) => [host, { host, ...fresh }]));
  }

  get ended() {
    return this.#over.promise;
  }

  rows = () => [...this.#rows.values()];
  questions = (): readonly HaltGroup[] => groupHalts(this.#halts);
  canaryFor = (hosts: readonly string[]) => hosts[0];

  answer(digest: string, hosts: readonly string[], answer: FleetAnswer): boolean {
    if (!this.questions().some((group) => group.digest === digest)) return false;
    this.answers.push([hosts, answer]);
    this.halt(this.#halts.filter(({ host }) => !hosts.includes(host)));
    return true;
  }

  stop(reason: string): void {
    this.stopped = reason;
    for (const host of this.#rows.keys()) this.end(host, 'stopped', reason);
  }

  subscribe(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  halt(halts: readonly HaltFacts[]): void {
    this.#halts = halts;
    for (const { host } of halts) this.#change(host, { status: 'halted' });
    this.#tell();
  }

  end(host: string, status: string, reason = '', output = ''): void {
    this.#change(host, { status, reason, ended: true, output, commands: [{ command: 'uname', exit: 0 }] });
    if (this.rows().every((row) => row.ended)) this.#over.resolve();
    this.#tell();
  }

  #change(host: string, change: Partial<FleetRow>): void {
    const row = this.#rows.get(host);
    if (row) this.#rows.set(host, { ...row, ...change });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function haltOf(host: string, change: Partial<HaltFacts> = {}): HaltFacts {
  const target = { label: 'build', path: '/srv/build', mount: '/', git: 'none', undoable: false, more: false } as const;
  return {
    ...{
      host,
      kind: 'command',
      command: 'rm -rf build',
      cwd: '/srv',
      mode: 'unrestricted',
      sandbox: false,
      root: true,
    },
    findings: [{ rule: 'rm -r', verb: 'deletes files and directories', part: [0, 12] }],
    ...{ opinion: 'static: deletes recursively', secrets: [] },
    targets: [{ ...target, type: 'directory', files: 7, bytes: 900 }],
    ...change,
  };
}

/** Returns the screen with a fleet on it. */
async function begin(line: string, size: { columns?: number; rows?: number } = {}) {
  let fleet: Fleet | undefined;
  const fleets: FleetPort = {
    start: async (wish) => {
      fleet = new Fleet(wish);
      return fleet;
    },
    resume: async () => ({ problem: 'this session has no fleet to resume' }),
  };
  const stage = await setStage({ columns: 100, rows: 34, ...size, fleets });
  stage.press(`${line}\r`);
  await stage.until(() => fleet !== undefined && stage.screen.app.fleet.run === fleet);
  if (!fleet) throw new Error('no fleet has begun');
  return { stage, fleet };
}

async function asked(stage: Stage, text: string | RegExp): Promise<void> {
  await stage.see(text);
  await stage.arm();
  await stage.see('all shown');
}

describe('a fleet on the screen', () => {
  it('shows a row for each host, and a table with the differences at its end', async () => {
    const { stage, fleet } = await begin(':fleet which kernel on earth runs on web1,web2,web3');
    expect(fleet.goal).toBe('which kernel on earth runs');
    await stage.see(/fleet · 0 of 3 ended · which kernel on earth runs/);
    await stage.see(/▸ web2 +at work/);
    fleet.end('web1', 'done', '', '6.1\n');
    await stage.see(/fleet · 1 of 3 ended/);
    await stage.see(/✓ web1 +done/);
    fleet.end('web2', 'done', '', '6.1\n');
    fleet.end('web3', 'unreachable', 'Permission denied', '5.4\n');
    await stage.see(/web1 +done +0\.0 s +1 +A/);
    expect(stage.frame()).toMatch(/web3 +unreachable .*Permission denied/);
    expect(stage.frame()).toMatch(/A \(2 hosts: web1, web2\): 6\.1\n.*B \(web3\): 5\.4/);
    expect(stage.frame()).not.toContain('of 3 ended');
  });

  it('asks equal questions once, names the hosts first, and answers none automatically', async () => {
    const { stage, fleet } = await begin(':fleet clean up on web1,web2,web3,old');
    const missing = haltOf('old', { targets: undefined });
    fleet.halt([haltOf('web1'), haltOf('web2'), haltOf('web3'), missing]);
    await asked(stage, /HALT.*on 3 hosts · as root · 1 more wait/);
    expect(stage.frame()).toMatch(/hosts: web1, web2, web3/);
    expect(stage.frame()).toContain('web1 goes first; the others follow when it is done.');
    expect(stage.frame()).toMatch(/rm -rf build/);
    expect(stage.frame()).toContain('build: a directory, as they report');
    expect(stage.frame()).toContain('7 files, 900 bytes on each');
    expect(fleet.answers).toEqual([]);
    stage.answer('p');
    await stage.until(() => fleet.answers.length === 1);
    expect(fleet.answers[0]).toEqual([['web1', 'web2', 'web3'], 'proceed']);
    await asked(stage, /HALT.*on old/);
    expect(stage.frame()).toContain('unlike most: could not be looked at');
    stage.press('\r');
    await stage.until(() => fleet.answers.length === 2);
    expect(fleet.answers[1]).toEqual([['old'], 'skip']);
  });

  it('asks about chosen hosts alone first, and then about the others', async () => {
    const { stage, fleet } = await begin(':fleet clean up on web1,web2,web3');
    fleet.halt([haltOf('web1'), haltOf('web2'), haltOf('web3')]);
    await asked(stage, /HALT.*on 3 hosts/);
    stage.answer('e');
    await stage.see('› web1, web2, web3');
    stage.press('\x1b[D'.repeat(12));
    stage.press('\x0b\r');
    await asked(stage, /HALT.*on web1 · as root · 2 more wait/);
    expect(fleet.answers).toEqual([]);
    stage.answer('p');
    await stage.until(() => fleet.answers.length === 1);
    expect(fleet.answers[0]).toEqual([['web1'], 'proceed']);
    await asked(stage, /HALT.*on 2 hosts/);
    stage.answer('a');
    await stage.until(() => fleet.answers.length === 2);
    expect(fleet.answers[1]).toEqual([['web2', 'web3'], 'abort']);
  });

  it('replaces a question that changed, and ignores an answer to the old one', async () => {
    const { stage, fleet } = await begin(':fleet clean up on web1,web2');
    fleet.halt([haltOf('web1')]);
    await asked(stage, /HALT.*on web1/);
    fleet.halt([haltOf('web1'), haltOf('web2')]);
    await stage.see(/HALT.*on 2 hosts/);
    expect(stage.screen.ui.get().question?.armed).toBe(false);
    stage.press('p');
    expect(fleet.answers).toEqual([]);
  });

  it('ends with Ctrl-X Ctrl-C, also at its question', async () => {
    const { stage, fleet } = await begin(':fleet clean up on web1,web2');
    fleet.halt([haltOf('web1'), haltOf('web2')]);
    await asked(stage, /HALT.*on 2 hosts/);
    stage.press('\x18\x03');
    await stage.until(() => fleet.stopped !== undefined);
    await stage.see(/web1 +stopped/);
    expect(fleet.answers).toEqual([]);
    expect(stage.engine.state.questions).toEqual([]);
  });

  it('explains a wrong :fleet line, and runs only one fleet at a time', async () => {
    const { stage } = await begin(':fleet look on web1');
    stage.press(':fleet look again on web1\r');
    await stage.see('a fleet is already running: :fleet stop ends it');
    stage.press(':fleet look around\r');
    await stage.see('name a goal and hosts: :fleet GOAL on web1,web2,@group');
    stage.press(':fleet stop\r');
    await stage.see(/web1 +stopped/);
    stage.press(':fleet resume\r');
    await stage.see('this session has no fleet to resume');
  });
});
