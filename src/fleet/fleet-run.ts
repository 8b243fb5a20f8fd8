/** A running fleet, started in start-and-resume.ts: carries out its controller's decisions and writes its journal. */
import type {
  FleetAnswer,
  FleetMachine,
  FleetRow,
  FleetRun,
  HaltFacts,
  HaltGroup,
  OpenMachine,
} from '../contracts/fleet.ts';
import type { Named } from '../contracts/machine.ts';
import type { Services } from '../contracts/services.ts';
import { Engine } from '../engine/engine.ts';
import { foldEvents } from '../engine/transcript.ts';
import {
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  groupHalts,
  type HostStatus,
  hasEnded,
  mayAsk,
  NO_FLEET,
  probeScript,
  readProbe,
  reduceFleet,
} from '../remote/fleet/index.ts';
import { describeAction } from '../session/action.ts';
import type { Entry } from '../session/entry.ts';
import { plainOutput } from '../session/exec-text.ts';
import { directoryAt, placeOn } from '../session/place.ts';
import type { Question } from '../session/question.ts';
import type { NorrisStatus } from '../session/run.ts';
import type { Settings } from '../session/state.ts';
import { openJournal, readJournal } from '../store/index.ts';

/** How often to check for overdue hosts, in ms. */
const TICK_MS = 1000;

type Body = FleetEvent extends infer Event ? (Event extends { at: number } ? Omit<Event, 'at'> : never) : never;

export type FleetRunOptions = {
  /** The events of an earlier program. */
  readonly events: readonly FleetEvent[];
  /** Makes an event durable. It has passed the secrets filter. */
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
  /** The open question of each host, as examined. */
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

  /** Dispatches the first event of a new fleet, or `fleetResumed`. Resolves when that has taken effect. */
  begin(body: Extract<Body, { type: 'fleetOpened' | 'fleetResumed' }>): Promise<void> {
    const timer = setInterval(() => {
      // Only events that change something are recorded.
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

  /** Processes events in sequence: each is on disk before it has any effect. */
  async #work(): Promise<void> {
    this.#working = true;
    for (let body = this.#queue.shift(); body; body = this.#queue.shift()) {
      const event = { at: this.#options.now(), ...body };
      try {
        if (this.#broken === undefined) await this.#options.append({ session: 'fleet', ...event });
      } catch (error) {
        // Nothing starts that can't be recorded.
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

// Runs one host of a fleet: its machine, and its own conversation with the same gate and its own journal.

/** Every conversation is the only one in its journal, so all use the same name. */
const ROOT = 'main';

type HostRunOptions = {
  readonly host: string;
  readonly goal: string;
  /** The path of the host's journal. */
  readonly journal: string;
  readonly settings: Settings;
  readonly open: OpenMachine;
  /** Registers the machine with the gate and the executors. */
  readonly join: (machine: FleetMachine) => void;
  /** The engine's services except the journal. */
  readonly services: (machine: FleetMachine) => Omit<Services, 'journal'>;
  /** Returns the files of the host that a command names. */
  readonly namedBy: (command: string, directory: string, home: string) => readonly Named[];
  readonly onHalt: (question: string, facts: HaltFacts) => void;
  readonly onGone: () => void;
  readonly onEnd: (status: HostStatus, reason: string) => void;
  readonly onChange: () => void;
};

type Halt = Extract<Question, { kind: 'halt' }>;

class HostRun {
  readonly #options: HostRunOptions;
  readonly #stopped = new AbortController();
  #opening: ReturnType<OpenMachine> | undefined;
  #engine: Engine | undefined;
  #closeJournal: () => Promise<void> = () => Promise.resolve();
  /** Questions that were reported or answered. */
  readonly #seen = new Set<string>();
  #waiting: string | undefined;
  #told = false;
  #began = false;
  #spent = false;

  constructor(options: HostRunOptions) {
    this.#options = options;
  }

  /** Connects and starts, or continues an earlier program's work. Never rejects; results are reported. */
  async start(): Promise<void> {
    const { host, open, join } = this.#options;
    try {
      this.#opening = open(host, this.#stopped.signal);
      const machine = await this.#opening;
      if ('problem' in machine) return this.#end('unreachable', machine.problem);
      if (this.#stopped.signal.aborted) return;
      join(machine);
      void machine.lost.then((why) => {
        this.#end('lost', why);
        void this.stop();
      });
      await this.#converse(machine);
    } catch (error) {
      this.#end('failed', error instanceof Error ? error.message : String(error));
    }
  }

  /** Applies the user's answer to its question, once. */
  answer(question: string, answer: FleetAnswer): void {
    if (this.#waiting !== question) return;
    this.#waiting = undefined;
    const asked = this.#engine?.state.questions.find(({ id }) => id === question);
    // An abort at a sub-agent's question ends the whole run.
    if (answer === 'abort') void this.#engine?.dispatch({ type: 'aborted' });
    else if (asked)
      void this.#engine?.dispatch({ type: 'answered', question, answer: { kind: answer } }, asked.session);
  }

  /** Ends all commands and the connection; nothing more is reported. Idempotent. Never rejects. */
  async stop(): Promise<void> {
    this.#told = true;
    this.#stopped.abort();
    await this.#engine?.close();
    await this.#closeJournal();
    // A connection that is still being opened may have left files there already.
    const machine = await this.#opening;
    if (machine && !('problem' in machine)) await machine.close();
  }

  /** Returns the host’s progress. */
  facts(): Pick<FleetRow, 'commands' | 'output' | 'said'> {
    const entries: readonly Entry[] = this.#engine?.transcript.entries.map(({ entry }) => entry) ?? [];
    const ran = entries.filter((entry) => entry.kind === 'exec');
    const said = entries.findLast((entry) => entry.kind === 'assistant');
    const last = ran.findLast(({ result }) => result)?.result;
    return {
      commands: ran.map(({ command, result }) => ({ command, exit: result?.exit ?? null })),
      output: last ? plainOutput(last) : '',
      said: said?.kind === 'assistant' ? said.text.trim() : '',
    };
  }

  async #converse(machine: FleetMachine): Promise<void> {
    const { host, goal, journal: path, settings, services } = this.#options;
    const { events, goodBytes, damage, problem } = await readJournal(path);
    if (damage !== undefined || problem !== undefined) return this.#end('unknown', damage ?? problem ?? '');
    const journal = openJournal(path, { seq: events.length, goodBytes, onFailure: () => {} });
    this.#closeJournal = () => journal.close();
    const engine = new Engine({ ...services(machine), journal }, ROOT, foldEvents(events, ROOT));
    this.#engine = engine;
    engine.subscribe(() => this.#look(engine, machine));
    const cwd = placeOn(host, machine.directory);
    if (events.length === 0) {
      await engine.dispatch({ type: 'opened', cwd, mode: 'unrestricted', settings });
      this.#began = true;
      await engine.dispatch({ type: 'norrisStarted', goal });
      return;
    }
    await engine.dispatch({ type: 'resumed', settings });
    await engine.dispatch({ type: 'shellMoved', cwd });
    if (this.#endsAsUnknown(engine)) return;
    this.#began = true;
    if (engine.conversation.phase.kind !== 'idle') return this.#look(engine, machine);
    const ended = endingOf(engine);
    if (ended && ended.reason !== CLOSED) return this.#look(engine, machine);
    await engine.dispatch(
      engine.conversation.lastGoal === undefined ? { type: 'norrisStarted', goal } : { type: 'norrisContinued' },
    );
  }

  #look(engine: Engine, machine: FleetMachine): void {
    if (this.#told || this.#endsAsUnknown(engine)) return;
    for (const question of engine.state.questions) this.#take(engine, machine, question);
    if (this.#waiting !== undefined && !engine.state.questions.some(({ id }) => id === this.#waiting)) {
      this.#waiting = undefined;
      this.#options.onGone();
    }
    const ended = this.#began && engine.conversation.phase.kind === 'idle' ? endingOf(engine) : undefined;
    if (ended) this.#end(this.#spent ? 'budget' : STATUS[ended.status], ended.reason ?? '');
    this.#options.onChange();
  }

  /**
   * Whether a command's end is unknown: it may have run or not. Continuing would repeat it or rely on it, whatever the
   * model says.
   */
  #endsAsUnknown(engine: Engine): boolean {
    const unknown = lostCommand(engine);
    if (unknown !== undefined) this.#end('unknown', `nobody knows how this ended: ${unknown}`);
    return unknown !== undefined;
  }

  #take(engine: Engine, machine: FleetMachine, question: Question): void {
    if (this.#seen.has(question.id)) return;
    this.#seen.add(question.id);
    if (question.kind === 'halt') return void this.#halt(engine, machine, question);
    // Answers without the user: no wider mode, no form, no further spending, no continuing after many skips, and no
    // plan that needs approval.
    const kind = question.kind === 'escalation' || question.kind === 'plan' ? 'abort' : 'skip';
    if (question.kind === 'spend') this.#spent = true;
    queueMicrotask(() => {
      const answered = { type: 'answered', question: question.id, answer: { kind }, unattended: true } as const;
      void engine.dispatch(answered, question.session);
    });
  }

  async #halt(engine: Engine, machine: FleetMachine, question: Halt): Promise<void> {
    const { host, namedBy, onHalt } = this.#options;
    const revealed = engine.actions.revealQuestion(question);
    const { action, judgement, mode } = revealed.kind === 'halt' ? revealed : question;
    const directory = directoryAt(question.cwd);
    const command = describeAction(action);
    const named = action.kind === 'command' ? namedBy(command, directory, machine.machine.home) : [];
    const script = probeScript(named);
    const targets = script === undefined ? undefined : readProbe(await machine.ask(script), named);
    if (this.#told || !engine.state.questions.some(({ id }) => id === question.id)) return;
    this.#waiting = question.id;
    onHalt(question.id, {
      ...{ host, kind: action.kind, command, cwd: directory, mode, targets },
      // A host of a fleet has no sandbox.
      sandbox: false,
      root: machine.root,
      findings: judgement.findings?.map(({ rule, verb, part }) => ({ rule, verb, part })) ?? [],
      opinion: `${judgement.source}: ${judgement.reason.replaceAll(host, 'HOST')}`,
      secrets: describeAction(question.action).match(/⟦[^⟧]*⟧/g) ?? [],
    });
  }

  #end(status: HostStatus, reason: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#options.onEnd(status, reason);
    void this.stop();
  }
}

const STATUS: Readonly<Record<NorrisStatus, HostStatus>> = {
  done: 'done',
  tasks_complete: 'done',
  blocked: 'blocked',
  stalled: 'blocked',
  aborted: 'aborted',
  budget_exhausted: 'budget',
  failed: 'failed',
};

/** The state machine's text for an action that was interrupted because the program closed. */
const CLOSED = 'the program closed meanwhile';

function endingOf(engine: Engine): Extract<Entry, { kind: 'norrisEnded' }> | undefined {
  const last = engine.transcript.entries.findLast(
    ({ entry }) => entry.kind === 'norrisEnded' || entry.kind === 'norrisBegan',
  )?.entry;
  return last?.kind === 'norrisEnded' ? last : undefined;
}

/**
 * Returns a command that may have started and whose end is unknown, because the program closed or the connection was
 * lost.
 */
function lostCommand(engine: Engine): string | undefined {
  const lost = engine.transcript.entries.find(
    ({ entry }) => entry.kind === 'exec' && entry.result?.exit === null && entry.result.began !== false,
  )?.entry;
  return lost?.kind === 'exec' ? lost.command : undefined;
}
