/**
 * SIGKILL at random moments, half of them with a power failure: what the disk did not have for certain is cut off at a
 * random byte. `npm run check -- kill` does it 300 times.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { SessionEvent } from '../../src/session/event.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState } from '../../src/session/state.ts';
import { journalPath, readJournal } from '../../src/store/index.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import {
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
  whenever,
} from '../support/scripted-server.ts';

const KILLS = Number(process.env.AISH_KILLS ?? 10);
/** Kills of one session before the next one begins. */
const KILLS_PER_SESSION = 20;
/** A kill comes within this of the moment in which the program is at work, in ms: some ten steps. */
const MAX_WORK_MS = 700;
/** Of the steps, one in so many wants to delete something. */
const HALT_EVERY = 5;
/** What they want to delete; more than a session has steps. */
const PRECIOUS = 500;

/** The model's n-th step: leaves a trace that tells how often it ran, or asks for a HALT. */
const command = (n: number) => (n % HALT_EVERY === 0 ? `rm -rf precious/${n}` : `echo step-${n} >> traces`);

/** Each of the calls in a request has exactly one result. */
function isLegal({ messages }: ScriptedRequest): boolean {
  const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const told = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  return asked.length === told.length && asked.every((id) => told.includes(id)) && new Set(told).size === told.length;
}

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []);
/** Stands for the question that is about no action: whether a run continues after many skips. */
const CONTINUE = 'CONTINUE?';

/** The command of the question that is on the screen. */
function questionOn(rig: Rig): string | undefined {
  const text = rig.text();
  return /p\W+proceed/.test(text) ? (/^│ *┆ (.*\S) *│$/m.exec(text)?.[1] ?? CONTINUE) : undefined;
}

/** One session that is killed again and again. */
class Victim {
  readonly #place: Scratch;
  readonly #server: ScriptedServer;
  #id: string | undefined;
  #events: readonly SessionEvent[] = [];
  #lines = 0;
  /** The question that was on the screen, unanswered, when the program was killed. */
  #open: string | undefined;

  constructor(place: Scratch, server: ScriptedServer) {
    this.#place = place;
    this.#server = server;
    for (let n = 0; n <= PRECIOUS; n += 1) mkdirSync(join(place.work, 'precious', String(n)), { recursive: true });
  }

  /** Starts or resumes it, looks at what is left of it, lets it work, and kills it. */
  async round(): Promise<void> {
    const synced = join(this.#place.home, 'synced');
    rmSync(synced, { force: true });
    const watch = new URL('../support/synced.mjs', import.meta.url).href;
    const requests = this.#server.requests.length;
    const rig = startRig(this.#place, {
      rows: 30,
      args: this.#id === undefined ? [] : ['--resume', this.#id],
      env: { NODE_OPTIONS: `--import=${watch}`, AISH_TEST_SYNCED: synced },
    });
    let answered: string | undefined;
    try {
      if (Math.random() < 0.1) await delay(Math.random() * MAX_WORK_MS);
      else {
        // The first frame says that it starts; then the session is there.
        await rig.waitFor(/-- UNRESTRICTED --/);
        await this.#resumed(rig, requests);
        const before = questionOn(rig);
        const works = this.#work(rig, before);
        if (works) answered = before;
        const atOnce = works && Math.random() < 0.3;
        const asks = () => ![undefined, before].includes(questionOn(rig));
        // However long it takes until it is at work: mostly it is killed within that.
        if (works && Math.random() < 0.7) await rig.waitFor(() => this.#server.requests.length > requests || asks());
        if (atOnce) await rig.waitFor(asks);
        else await delay(Math.random() * MAX_WORK_MS);
      }
      const shown = questionOn(rig);
      this.#open = shown === answered ? undefined : shown;
    } finally {
      // Also throws when anything of the program's outlives it.
      await rig[Symbol.asyncDispose]();
    }
    await this.#powerFailure(synced);
  }

  /** What was there is there, once, and the question that was open is put again. */
  async #resumed(rig: Rig, requests: number): Promise<void> {
    if (this.#id === undefined) return;
    assert.doesNotMatch(rig.text(), /damaged/);
    const { events } = await readJournal(this.#journal);
    assert.deepEqual(events.slice(0, this.#events.length), this.#events);
    const open = questionOf(this.#events);
    // Whether to continue is asked at once when an action was skipped: without that answer it is the action again.
    if (this.#open === CONTINUE) assert.ok(open !== undefined);
    else if (this.#open !== undefined) assert.equal(open, this.#open);
    if (open === undefined) return;
    await rig.waitFor(/seen to the end/);
    assert.equal(questionOn(rig), open);
    assert.equal(this.#server.requests.length, requests);
  }

  /** Answers what is open, else starts a run, and types a line for the shell; whether there is anything to do now. */
  #work(rig: Rig, question: string | undefined): boolean {
    if (question !== undefined) {
      // A question may also outlast several kills.
      if (Math.random() < 0.3) return false;
      rig.type(question.startsWith('rm') ? 's' : 'p');
      return true;
    }
    this.#lines += 1;
    rig.type(`echo line-${this.#lines} >> lines\r`);
    rig.type(':norris leave traces\r');
    return true;
  }

  async #powerFailure(synced: string): Promise<void> {
    this.#id ??= existsSync(this.#sessions) ? readdirSync(this.#sessions)[0] : undefined;
    if (this.#id === undefined || !existsSync(this.#journal)) return;
    const safe = Math.max(Number(linesOf(synced)[0] ?? 0), this.#bytesOf(this.#events));
    const { size } = statSync(this.#journal);
    if (Math.random() < 0.5) truncateSync(this.#journal, safe + Math.floor(Math.random() * (size - safe + 1)));
    const before = this.#events;
    const { events, damage } = await readJournal(this.#journal);
    assert.equal(damage, undefined);
    assert.deepEqual(events.slice(0, before.length), before);
    this.#events = events;
    this.#nothingTwice();
    if (events.length > 0) return;
    // Killed before anything of it was on the disk.
    rmSync(this.#sessions, { recursive: true });
    this.#id = undefined;
  }

  /** No command ran twice, and the journal knows of each that has run. */
  #nothingTwice(): void {
    for (const name of ['traces', 'lines']) {
      const lines = linesOf(join(this.#place.work, name));
      assert.deepEqual(lines, [...new Set(lines)]);
    }
    const started = startedCommands(this.#events);
    for (const line of linesOf(join(this.#place.work, 'traces'))) assert.ok(started.includes(`echo ${line} >> traces`));
    assert.equal(readdirSync(join(this.#place.work, 'precious')).length, PRECIOUS + 1);
    for (const request of this.#server.requests) assert.ok(isLegal(request));
  }

  #bytesOf(events: readonly SessionEvent[]): number {
    if (events.length === 0) return 0;
    const lines = readFileSync(this.#journal, 'latin1').split('\n');
    return lines.slice(0, events.length).join('\n').length + 1;
  }

  get #journal(): string {
    return journalPath(this.#sessions, this.#id ?? '');
  }

  get #sessions(): string {
    return join(this.#place.home, '.local/state/aish/sessions');
  }
}

/** What the journal's state makes the user decide at a resume: an action that had not started, or whether to go on. */
function questionOf(events: readonly SessionEvent[]): string | undefined {
  let state = emptyState('main');
  for (const event of events) [state] = reduce(state, event);
  const phase = state.sessions.main?.phase;
  if (phase?.kind === 'escalated') return CONTINUE;
  const isOpen =
    phase?.kind === 'halted' ||
    phase?.kind === 'judging' ||
    (phase?.kind === 'acting' && phase.slots.every((slot) => slot.kind === 'running' && !slot.started));
  const action = isOpen ? phase.dispatch.actions[phase.dispatch.index] : undefined;
  return action?.kind === 'command' ? action.command : undefined;
}

/** The commands whose start is in the journal. */
function startedCommands(events: readonly SessionEvent[]): readonly string[] {
  const started: string[] = [];
  let state = emptyState('main');
  for (const event of events) {
    [state] = reduce(state, event);
    const phase = state.sessions.main?.phase;
    if (event.type !== 'actionStarted' || phase?.kind !== 'acting') continue;
    const action = phase.dispatch.actions[phase.dispatch.index];
    if (action?.kind === 'command') started.push(action.command);
  }
  return started;
}

it(
  'nothing shown as durable is lost, nothing runs twice, and an open HALT is put again',
  async () => {
    for (let done = 0; done < KILLS; done += KILLS_PER_SESSION) {
      let step = 0;
      const next = () => {
        step += 1;
        return { toolCalls: [{ name: 'bash', args: { command: command(step) }, id: `step-${step}` }] };
      };
      await using server = await startScriptedServer([whenever(/./, { from: next })]);
      const norris = { max_norris_steps: 10_000 };
      using place = scratch(server.baseUrl, { mode: 'unrestricted', safety: { llm_second_opinion: false }, norris });
      const victim = new Victim(place, server);
      for (let n = done; n < Math.min(KILLS, done + KILLS_PER_SESSION); n += 1) await victim.round();
      expect(server.requests.length).toBeGreaterThan(0);
    }
  },
  60_000 + KILLS * 10_000,
);
