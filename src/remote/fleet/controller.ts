/**
 * One goal on many machines as a pure state machine: events in, a new state and effects out. A fleet's journal is its
 * events, so a killed fleet can be restored. What happens on one host is that host's own conversation.
 */
import type { FleetAnswer, FleetCarrier } from '../../contracts/fleet.ts';
import { isJsonObject } from '../../text/json.ts';

/**
 * How a host's part ended. `unknown`: a command had started and its result is unknown; nothing more is done on that
 * host.
 */
export type HostStatus =
  | 'done'
  | 'blocked'
  | 'failed'
  | 'aborted'
  | 'unreachable'
  | 'lost'
  | 'no answer'
  | 'budget'
  | 'unknown'
  | 'stopped';

export type HostPhase =
  /** The host has not started, or the program that started it has ended. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly since: number }
  /** The host’s question waits for the user. `at`: since when, in ms since the epoch. */
  | { readonly kind: 'halted'; readonly question: string; readonly at: number }
  /** The user said yes; it waits for the canary or for a free place. */
  | { readonly kind: 'held'; readonly question: string }
  | { readonly kind: 'ended'; readonly status: HostStatus; readonly reason: string };

export type Host = {
  readonly phase: HostPhase;
  /** How long it has worked in ms, without waiting for the user or for others. */
  readonly workedMs: number;
};

export type FleetOptions = {
  readonly goal: string;
  /** The hosts in the order in which they were named. */
  readonly hosts: readonly string[];
  /** The maximum number of hosts at work at the same time. */
  readonly atOnce: number;
  /** How long one host may work before it counts as not responding, in ms. */
  readonly deadlineMs: number;
  /** The host that goes first after each yes. Absent: the first host of the first group the user approves. */
  readonly canary?: string;
  readonly via?: FleetCarrier;
};

export type FleetState = FleetOptions & {
  readonly byName: Readonly<Record<string, Host>>;
  readonly canaryPassed: boolean;
  /** Why no further host starts. */
  readonly stopped?: string;
};

export type FleetEvent = { readonly at: number } & (
  | ({ readonly type: 'fleetOpened' } & FleetOptions)
  | { readonly type: 'hostHalted'; readonly host: string; readonly question: string }
  /** The question was withdrawn: a file it named has changed, and the action is judged again. */
  | { readonly type: 'haltGone'; readonly host: string }
  | { readonly type: 'groupAnswered'; readonly hosts: readonly string[]; readonly answer: FleetAnswer }
  | { readonly type: 'hostEnded'; readonly host: string; readonly status: HostStatus; readonly reason: string }
  | { readonly type: 'ticked' }
  | { readonly type: 'fleetStopped'; readonly reason: string }
  | { readonly type: 'fleetResumed' }
);

export type FleetEffect =
  /** Start its conversation, or continue one from an earlier program; its own journal has the details. */
  | { readonly kind: 'start'; readonly host: string }
  | { readonly kind: 'answer'; readonly host: string; readonly question: string; readonly answer: FleetAnswer }
  /** End the host's conversation, whatever it does; the host's result is final already. */
  | { readonly kind: 'stop'; readonly host: string };

/** The state before `fleetOpened`. */
export const NO_FLEET: FleetState = { goal: '', hosts: [], atOnce: 1, deadlineMs: 0, byName: {}, canaryPassed: false };

/** Deterministic: the same events lead to the same state and the same effects. */
export function reduceFleet(state: FleetState, event: FleetEvent): readonly [FleetState, readonly FleetEffect[]] {
  const work = new Work(state, event.at);
  work.take(event);
  work.letOverdueGo();
  work.release();
  work.fill();
  return [work.state, work.effects];
}

class Work {
  state: FleetState;
  readonly effects: FleetEffect[] = [];
  readonly #at: number;

  constructor(state: FleetState, at: number) {
    this.state = state;
    this.#at = at;
  }

  take(event: FleetEvent): void {
    switch (event.type) {
      case 'fleetOpened': {
        const { at: _, type: __, ...options } = event;
        const fresh: Host = { phase: { kind: 'waiting' }, workedMs: 0 };
        const byName = Object.fromEntries(options.hosts.map((name) => [name, fresh]));
        this.state = { ...NO_FLEET, ...options, byName };
        return;
      }
      case 'hostHalted':
        if (this.#phase(event.host)?.kind !== 'running') return;
        return this.#to(event.host, { kind: 'halted', question: event.question, at: event.at });
      case 'haltGone': {
        const kind = this.#phase(event.host)?.kind;
        if (kind === 'halted' || kind === 'held') this.#to(event.host, { kind: 'running', since: event.at });
        return;
      }
      case 'groupAnswered':
        return this.#answer(event.hosts, event.answer);
      case 'hostEnded':
        return this.#end(event.host, event.status, event.reason);
      case 'fleetStopped':
        return this.#stopAll(event.reason);
      case 'fleetResumed':
        // After a restart open questions are judged and asked again, and an earlier yes no longer applies.
        for (const name of this.state.hosts) {
          if (this.#phase(name)?.kind !== 'ended') this.#to(name, { kind: 'waiting' });
        }
        return;
      case 'ticked':
    }
  }

  /** Releases the places of hosts that hang, so that they delay no other host. */
  letOverdueGo(): void {
    for (const name of this.state.hosts) {
      const host = this.state.byName[name];
      if (host?.phase.kind !== 'running') continue;
      if (host.workedMs + this.#at - host.phase.since < this.state.deadlineMs) continue;
      this.effects.push({ kind: 'stop', host: name });
      this.#end(name, 'no answer', `not done after ${Math.round(this.state.deadlineMs / 1000)} s`);
    }
  }

  /** Continues hosts with a yes: first the canary alone, the others once it has succeeded. */
  release(): void {
    const held = this.state.hosts.filter((name) => this.#phase(name)?.kind === 'held');
    const [first] = held;
    if (first === undefined) return;
    if (this.state.canary === undefined) this.state = { ...this.state, canary: first };
    const { canary, canaryPassed } = this.state;
    for (const name of canaryPassed ? held : held.filter((each) => each === canary)) {
      const phase = this.#phase(name);
      if (phase?.kind !== 'held' || this.#working() >= this.state.atOnce) continue;
      this.#to(name, { kind: 'running', since: this.#at });
      this.effects.push({ kind: 'answer', host: name, question: phase.question, answer: 'proceed' });
    }
  }

  /** Starts hosts up to the limit; a host that waits for the user or for others does not count. */
  fill(): void {
    if (this.state.stopped !== undefined) return;
    const { canary, hosts } = this.state;
    const order = canary === undefined ? hosts : [canary, ...hosts.filter((name) => name !== canary)];
    for (const name of order) {
      if (this.#working() >= this.state.atOnce) return;
      if (this.#phase(name)?.kind !== 'waiting') continue;
      this.#to(name, { kind: 'running', since: this.#at });
      this.effects.push({ kind: 'start', host: name });
    }
  }

  #answer(hosts: readonly string[], answer: FleetAnswer): void {
    const yes = answer === 'proceed';
    for (const name of hosts) {
      const phase = this.#phase(name);
      if (phase?.kind !== 'halted') continue;
      const { question } = phase;
      this.#to(name, yes ? { kind: 'held', question } : { kind: 'running', since: this.#at });
      if (!yes) this.effects.push({ kind: 'answer', host: name, question, answer });
    }
  }

  #end(name: string, status: HostStatus, reason: string): void {
    if (!this.state.byName[name] || this.#phase(name)?.kind === 'ended') return;
    this.#to(name, { kind: 'ended', status, reason });
    if (name !== this.state.canary || this.state.canaryPassed) return;
    if (status === 'done') this.state = { ...this.state, canaryPassed: true };
    else this.#stopAll(`the canary ${name} ended as ${status}`);
  }

  #stopAll(reason: string): void {
    if (this.state.stopped !== undefined) return;
    this.state = { ...this.state, stopped: reason };
    for (const name of this.state.hosts) {
      const phase = this.#phase(name);
      if (phase === undefined || phase.kind === 'ended') continue;
      if (phase.kind !== 'waiting') this.effects.push({ kind: 'stop', host: name });
      this.#to(name, { kind: 'ended', status: 'stopped', reason });
    }
  }

  #working(): number {
    return this.state.hosts.filter((name) => this.#phase(name)?.kind === 'running').length;
  }

  #phase(name: string): HostPhase | undefined {
    return this.state.byName[name]?.phase;
  }

  #to(name: string, phase: HostPhase): void {
    this.#change(name, (host) => {
      const worked = host.phase.kind === 'running' ? Math.max(0, this.#at - host.phase.since) : 0;
      return { ...host, phase, workedMs: host.workedMs + worked };
    });
  }

  #change(name: string, change: (host: Host) => Host): void {
    const host = this.state.byName[name];
    if (host) this.state = { ...this.state, byName: { ...this.state.byName, [name]: change(host) } };
  }
}

/** How long a question waits for other hosts with the same one, in ms. */
const GATHER_MS = 10_000;

/** Whether to ask the open questions now: no other host is working, or those that are had enough time. */
export function mayAsk(state: FleetState, now: number): boolean {
  const phases = state.hosts.map((name) => state.byName[name]?.phase);
  const halted = phases.flatMap((phase) => (phase?.kind === 'halted' ? [phase.at] : []));
  if (halted.length === 0) return false;
  const busy = phases.some((phase) => phase?.kind === 'running');
  return !busy || now - Math.max(...halted) >= GATHER_MS;
}

export function hasEnded(state: FleetState): boolean {
  return state.hosts.every((name) => state.byName[name]?.phase.kind === 'ended');
}

// Parses the events of a fleet's journal and checks their structure: a file may contain anything.

const STATUSES: Readonly<Record<HostStatus, true>> = {
  done: true,
  blocked: true,
  failed: true,
  aborted: true,
  unreachable: true,
  lost: true,
  'no answer': true,
  budget: true,
  unknown: true,
  stopped: true,
};

/** Returns the event of a record; undefined if it is invalid. */
export function fleetEventOf(value: unknown): FleetEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, at, hosts, answer, reason } = value;
  if (typeof at !== 'number') return undefined;
  switch (type) {
    case 'fleetOpened': {
      const options = optionsOf(value);
      return options && { type, at, ...options };
    }
    case 'groupAnswered':
      return isAnswer(answer) && areTexts(hosts) ? { type, at, hosts, answer } : undefined;
    case 'fleetStopped':
      return typeof reason === 'string' ? { type, at, reason } : undefined;
    case 'ticked':
    case 'fleetResumed':
      return { type, at };
    default:
      return hostEventOf(value, at);
  }
}

function hostEventOf(value: Readonly<Record<string, unknown>>, at: number): FleetEvent | undefined {
  const { type, host, question, status, reason } = value;
  if (typeof host !== 'string') return undefined;
  if (type === 'haltGone') return { type, at, host };
  if (type === 'hostHalted') return typeof question === 'string' ? { type, at, host, question } : undefined;
  if (type !== 'hostEnded' || typeof reason !== 'string' || !isStatus(status)) return undefined;
  return { type, at, host, status, reason };
}

function isAnswer(value: unknown): value is FleetAnswer {
  return value === 'proceed' || value === 'skip' || value === 'abort';
}

function optionsOf({
  goal,
  hosts,
  atOnce,
  deadlineMs,
  canary,
  via,
}: Readonly<Record<string, unknown>>): FleetOptions | undefined {
  if (typeof goal !== 'string' || !areTexts(hosts)) return undefined;
  if (typeof atOnce !== 'number' || typeof deadlineMs !== 'number') return undefined;
  // Never continue with a different connection method than recorded.
  if (via !== undefined && via !== 'ansible') return undefined;
  const options = { goal, hosts, atOnce, deadlineMs, ...(via === undefined ? {} : { via: 'ansible' as const }) };
  return typeof canary === 'string' ? { ...options, canary } : options;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isStatus(value: unknown): value is HostStatus {
  return typeof value === 'string' && value in STATUSES;
}
