/** Runs a fleet while the conversation continues: asks its questions one at a time, and shows its result as a table. */

import type { FleetPort, FleetRun, FleetWish, HaltGroup } from '../contracts/fleet.ts';
import type { Engine } from '../engine/engine.ts';
import type { Answer } from '../session/event.ts';
import { isUnenforced } from '../session/mode.ts';
import { CommandError } from '../text/errors.ts';
import { askedOf, fleetTable } from './fleet-table.ts';
import { showMeta } from './show-meta.ts';

type Open = {
  readonly name: string;
  readonly digest: string;
  readonly hosts: readonly string[];
  readonly withdraw: AbortController;
};

export class FleetDesk {
  readonly #engine: Engine;
  readonly #port: FleetPort;
  #run: FleetRun | undefined;
  #starting = false;
  #open: Open | undefined;
  #serial = 0;
  /** Hosts that the user picked from a question, to be asked about first and separately. */
  #picked: readonly string[] = [];
  /** How a group differs from the largest one, which may be answered already; by digest. */
  readonly #differences = new Map<string, readonly string[]>();
  /** A change was reported and will be processed afterwards. */
  #followed = false;

  constructor(engine: Engine, port: FleetPort) {
    this.#engine = engine;
    this.#port = port;
  }

  /** The running fleet, if there is one. */
  get run(): FleetRun | undefined {
    return this.#run;
  }

  /** Resolves when it has started. Rejects with a CommandError. */
  async start(wish: FleetWish): Promise<FleetRun> {
    const run = await this.#begin(() => this.#port.start(wish));
    // The event records the session, so that it can be found again.
    await this.#engine.dispatch({ type: 'fleetBegan', goal: wish.goal }).catch(() => {});
    return run;
  }

  resume(): Promise<FleetRun> {
    return this.#begin(() => this.#port.resume());
  }

  /** Returns false if no fleet runs. */
  stop(): boolean {
    this.#run?.stop('you stopped it');
    return this.#run !== undefined;
  }

  async #begin(begin: FleetPort['resume']): Promise<FleetRun> {
    if (this.#run || this.#starting) throw new CommandError('a fleet is already running: :fleet stop ends it');
    if (isUnenforced(this.#engine.conversation))
      throw new CommandError('commands on hosts run in Unrestricted mode: type :mode unrestricted first');
    this.#starting = true;
    try {
      const run = await begin();
      if ('problem' in run) throw new CommandError(run.problem);
      this.#run = run;
      const unsubscribe = run.subscribe(() => this.#follow(run));
      void run.ended.then(() => {
        unsubscribe();
        this.#end(run);
      });
      this.#follow(run);
      return run;
    } finally {
      this.#starting = false;
    }
  }

  #end(run: FleetRun): void {
    this.#withdraw();
    this.#run = undefined;
    this.#picked = [];
    this.#differences.clear();
    const table = this.#engine.services.secrets.reveal(fleetTable(run.rows()));
    const failed = run.rows().some(({ status }) => status !== 'done');
    showMeta(this.#engine, ':fleet', table.join('\n'), failed);
    this.#engine.changed();
  }

  /** Deferred, because the fleet may still be processing the reported change. */
  #follow(run: FleetRun): void {
    if (this.#followed) return;
    this.#followed = true;
    queueMicrotask(() => {
      this.#followed = false;
      if (this.#run !== run) return;
      this.#ask(run);
      this.#engine.changed();
    });
  }

  /** Withdraws a question whose group has changed, and asks it again. */
  #ask(run: FleetRun): void {
    const groups = run.questions();
    for (const { digest, differences } of groups)
      if (differences.length > 0) this.#differences.set(digest, differences);
    const open = this.#open;
    if (open && groups.some(({ digest }) => digest === open.digest)) return;
    this.#withdraw();
    const [next] = groups.flatMap((group) => {
      const hosts = group.hosts.filter((host) => this.#picked.includes(host));
      return hosts.length > 0 ? [{ group, hosts }] : [];
    });
    if (!next) this.#picked = [];
    const [group] = groups;
    if (next) this.#put(run, next.group, next.hosts);
    else if (group) this.#put(run, group, group.hosts);
  }

  #put(run: FleetRun, group: HaltGroup, hosts: readonly string[]): void {
    this.#serial += 1;
    const name = `fleet-${this.#engine.services.now()}-${this.#serial}`;
    const open = { name, digest: group.digest, hosts, withdraw: new AbortController() };
    this.#open = open;
    const waiting = run.questions().reduce((sum, each) => sum + each.hosts.length, 0);
    const canary = run.canaryFor(hosts);
    const differences = this.#differences.get(group.digest) ?? [];
    const asked = askedOf({ ...group, differences }, hosts, {
      goal: run.goal,
      others: waiting - hosts.length,
      ...(canary === undefined || (hosts.length === 1 && hosts[0] === canary) ? {} : { canary }),
    });
    void this.#engine.answers.of(name, open.withdraw.signal).then((answer) => {
      if (this.#open === open && answer) this.#take(run, open, answer);
    });
    void this.#engine.dispatch({ type: 'fleetAsked', fleet: name, ...asked }).catch(() => {});
  }

  #take(run: FleetRun, { digest, hosts }: Open, answer: Answer): void {
    this.#open = undefined;
    const { kind } = answer;
    if (kind === 'edit') this.#picked = picked(answer.command, hosts);
    else if (kind === 'proceed' || kind === 'skip' || kind === 'abort') run.answer(digest, hosts, kind);
    this.#follow(run);
  }

  #withdraw(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    open.withdraw.abort();
    void this.#engine.dispatch({ type: 'fleetGone', fleet: open.name }).catch(() => {});
  }
}

/** Returns the typed names that the question is about. */
function picked(text: string, hosts: readonly string[]): readonly string[] {
  const words = text.split(/[\s,]+/);
  return hosts.filter((host) => words.includes(host));
}
