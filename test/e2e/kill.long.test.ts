/**
 * SIGKILL at random moments, half of them with a power failure that cuts the data not yet on disk at a random byte.
 * `npm run check -- kill` does it 300 times.
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
/** The number of kills of one session before the next begins. */
const KILLS_PER_SESSION = 20;
/** The time in ms within which the program is killed while it works: some ten steps. */
const MAX_WORK_MS = 700;
/** One in this many steps asks to delete something. */
const HALT_EVERY = 5;
/** The number of directories to delete; more than a session has steps. */
const PRECIOUS = 500;

/** Returns the model's n-th step: it leaves a line that shows how often it ran, or causes a HALT. */
const command = (n: number) => (n % HALT_EVERY === 0 ? `rm -rf precious/${n}` : `echo step-${n} >> traces`);

/** Returns whether each call in a request has exactly one result. */
function isLegal({ messages }: ScriptedRequest): boolean {
  const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const told = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  return asked.length === told.length && asked.every((id) => told.includes(id)) && new Set(told).size === told.length;
}

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []);
/** The record for the question whether a run continues after many skips, which concerns no action. */
const CONTINUE = 'CONTINUE?';

/** Returns the command of the question on the screen. */
function questionOn(rig: Rig): string | undefined {
  const text = rig.text();
  return /p\W+proceed/.test(text) ? (/^│ *┆ (.*\S) *│$/m.exec(text)?.[1] ?? CONTINUE) : undefined;
}

/** A session that is killed again and again. */
class Victim {
  readonly #place: Scratch;
  readonly #server: ScriptedServer;
  #id: string | undefined;
  #events: readonly SessionEvent[] = [];
  #lines = 0;
  /** The question that was unanswered on the screen when the program was killed. */
  #open: string | undefined;

  constructor(place: Scratch, server: ScriptedServer) {
    this.#place = place;
    this.#server = server;
    for (let n = 0; n <= PRECIOUS; n += 1) mkdirSync(join(place.work, 'precious', String(n)), { recursive: true });
  }

  /** Starts or resumes the session, checks what is left of it, lets it work, and kills it. */
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
        // The first frame says that the program starts; then the session is shown.
        await rig.waitFor(/-- UNRESTRICTED --/);
        await this.#resumed(rig, requests);
        const before = questionOn(rig);
        const works = this.#work(rig, before);
        if (works) answered = before;
        const atOnce = works && Math.random() < 0.3;
        const asks = () => ![undefined, before].includes(questionOn(rig));
        // The wait has no time limit: the kill usually comes within the work that follows.
        if (works && Math.random() < 0.7) await rig.waitFor(() => this.#server.requests.length > requests || asks());
        if (atOnce) await rig.waitFor(asks);
        else await delay(Math.random() * MAX_WORK_MS);
      }
      const shown = questionOn(rig);
      this.#open = shown === answered ? undefined : shown;
    } finally {
      // Disposing also throws when any process of the program outlives it.
      await rig[Symbol.asyncDispose]();
    }
    await this.#powerFailure(synced);
  }

  /** Checks that everything durable is present once, and that an open question is asked again. */
  async #resumed(rig: Rig, requests: number): Promise<void> {
    if (this.#id === undefined) return;
    assert.doesNotMatch(rig.text(), /damaged/);
    const { events } = await readJournal(this.#journal);
    assert.deepEqual(events.slice(0, this.#events.length), this.#events);
    const open = questionOf(this.#events);
    // Whether to continue is asked as soon as an action was skipped. If that answer was not saved, the action is asked
    // again.
    if (this.#open === CONTINUE) assert.ok(open !== undefined);
    else if (this.#open !== undefined) assert.equal(open, this.#open);
    if (open === undefined) return;
    await rig.waitFor(/all shown|Enter: /);
    assert.equal(questionOn(rig), open);
    assert.equal(this.#server.requests.length, requests);
  }

  /**
   * Answers the open question or else starts a run, and types a line for the shell. Returns whether there is anything
   * to do.
   */
  #work(rig: Rig, question: string | undefined): boolean {
    if (question !== undefined) {
      // A question may stay open over several kills.
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
    // The program was killed before anything reached the disk.
    rmSync(this.#sessions, { recursive: true });
    this.#id = undefined;
  }

  /** Checks that no command ran twice and that the journal has every command that ran. */
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

/**
 * Returns the question that the journal's state causes at a resume: an action that had not started, or whether to
 * continue.
 */
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

/** Returns the commands whose start is in the journal. */
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
  'a killed program loses nothing shown as saved, runs nothing twice, and asks an open HALT again',
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
