/** A fleet at work, begun in start-and-resume.ts: carries out what its controller decides, and writes its journal. */
import type { FleetAnswer, FleetRow, FleetRun, HaltFacts, HaltGroup } from '../../contracts/fleet.ts';
import {
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  groupHalts,
  hasEnded,
  mayAsk,
  NO_FLEET,
  reduceFleet,
} from '../../remote/fleet/index.ts';
import { HostRun, type HostRunOptions } from './host-run.ts';

/** How often it is looked whether somebody is overdue. In ms. */
const TICK_MS = 1000;

type Body = FleetEvent extends infer Event ? (Event extends { at: number } ? Omit<Event, 'at'> : never) : never;

export type FleetRunOptions = {
  /** What an earlier program has written of it. */
  readonly events: readonly FleetEvent[];
  /** Makes an event durable; it has passed the filter for secrets. */
  readonly append: (event: FleetEvent & { readonly session: string }) => Promise<void>;
  readonly hide: <T>(value: T) => T;
  readonly now: () => number;
  readonly host: (name: string) => Omit<HostRunOptions, 'onHalt' | 'onGone' | 'onEnd' | 'onChange'>;
  readonly close: () => Promise<void>;
};

export class WorkingFleet implements FleetRun {
  readonly #options: FleetRunOptions;
  #state: FleetState = NO_FLEET;
  readonly #hosts = new Map<string, HostRun>();
  /** The open question of each host, as it was looked at. */
  readonly #facts = new Map<string, HaltFacts>();
  readonly #listeners = new Set<() => void>();
  readonly #queue: Body[] = [];
  #working = false;
  #broken: string | undefined;
  readonly #begun = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<void>();

  constructor(options: FleetRunOptions) {
    this.#options = options;
    for (const event of options.events) this.#state = reduceFleet(this.#state, event)[0];
  }

  get goal(): string {
    return this.#state.goal;
  }

  get ended(): Promise<void> {
    return this.#over.promise;
  }

  /** The first event of a new fleet, or `fleetResumed`. Resolves when that has taken effect. */
  begin(body: Extract<Body, { type: 'fleetOpened' | 'fleetResumed' }>): Promise<void> {
    const timer = setInterval(() => {
      // Only what changes something is written down.
      const [next] = reduceFleet(this.#state, { type: 'ticked', at: this.#options.now() });
      if (next !== this.#state) this.#send({ type: 'ticked' });
      this.#tell();
    }, TICK_MS);
    void this.ended.finally(() => clearInterval(timer));
    this.#send(body);
    return this.#begun.promise;
  }

  rows(): readonly FleetRow[] {
    const now = this.#options.now();
    return this.#state.hosts.flatMap((name) => {
      const host = this.#state.byName[name];
      if (!host) return [];
      const { phase, workedMs } = host;
      const done = this.#hosts.get(name)?.facts() ?? { commands: [], output: '', said: '' };
      const running = phase.kind === 'running' ? Math.max(0, now - phase.since) : 0;
      return {
        host: name,
        status: phase.kind === 'ended' ? phase.status : phase.kind,
        ended: phase.kind === 'ended',
        reason: phase.kind === 'ended' ? phase.reason : '',
        milliseconds: workedMs + running,
        ...done,
      };
    });
  }

  questions(): readonly HaltGroup[] {
    return mayAsk(this.#state, this.#options.now()) ? this.#groups() : [];
  }

  answer(digest: string, hosts: readonly string[], answer: FleetAnswer): boolean {
    const group = this.#groups().find((each) => each.digest === digest);
    if (!group || hosts.length === 0 || !hosts.every((host) => group.hosts.includes(host))) return false;
    this.#send({ type: 'groupAnswered', hosts, answer });
    return true;
  }

  canaryFor(hosts: readonly string[]): string | undefined {
    const { canaryPassed, canary } = this.#state;
    return canaryPassed ? undefined : (canary ?? this.#state.hosts.find((name) => hosts.includes(name)));
  }

  stop(reason: string): void {
    this.#send({ type: 'fleetStopped', reason });
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #groups(): readonly HaltGroup[] {
    const open = this.#state.hosts.filter((name) => this.#state.byName[name]?.phase.kind === 'halted');
    return groupHalts(open.flatMap((name) => this.#facts.get(name) ?? []));
  }

  #send(body: Body): void {
    this.#queue.push(this.#options.hide(body));
    if (!this.#working) void this.#work();
  }

  /** One event after the other: each is on disk before anything comes of it. */
  async #work(): Promise<void> {
    this.#working = true;
    for (let body = this.#queue.shift(); body; body = this.#queue.shift()) {
      const event = { at: this.#options.now(), ...body };
      try {
        if (this.#broken === undefined) await this.#options.append({ session: 'fleet', ...event });
      } catch (error) {
        // What can't be written down is not begun.
        this.#broken = `the fleet can't be saved: ${error instanceof Error ? error.message : String(error)}`;
        this.#queue.unshift({ type: 'fleetStopped', reason: this.#broken });
        continue;
      }
      const [state, effects] = reduceFleet(this.#state, event);
      this.#state = state;
      for (const effect of effects) this.#carryOut(effect);
      this.#begun.resolve();
      this.#tell();
    }
    this.#working = false;
    if (hasEnded(this.#state)) await this.#close();
  }

  #carryOut(effect: FleetEffect): void {
    const { host } = effect;
    switch (effect.kind) {
      case 'start': {
        const run = this.#hostRun(host);
        this.#hosts.set(host, run);
        void run.start();
        return;
      }
      case 'answer':
        this.#facts.delete(host);
        return this.#hosts.get(host)?.answer(effect.question, effect.answer);
      case 'stop':
        void this.#hosts.get(host)?.stop();
    }
  }

  #hostRun(host: string): HostRun {
    return new HostRun({
      ...this.#options.host(host),
      onHalt: (question, facts) => {
        this.#facts.set(host, facts);
        this.#send({ type: 'hostHalted', host, question });
      },
      onGone: () => this.#send({ type: 'haltGone', host }),
      onEnd: (status, reason) => this.#send({ type: 'hostEnded', host, status, reason }),
      onChange: () => this.#tell(),
    });
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.stop()));
    await this.#options.close();
    this.#over.resolve();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
