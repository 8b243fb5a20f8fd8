/** Drives the engine without a screen. Without a person a HALT never proceeds (CL-1). */
import type { App } from '../commands/app.ts';
import { submitLine } from '../commands/submit.ts';
import type { Job } from '../contracts/commands.ts';
import { describeAction, everyDanger } from '../session/action.ts';
import { spendText } from '../session/cost.ts';
import { modeName } from '../session/mode.ts';
import type { Question, Trial } from '../session/question.ts';

import { visible } from '../text/sanitize.ts';
import { nameText } from '../text/spelled.ts';
import { oneLine } from '../ui/screen/halt/danger.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { EntryPrinter, escapeJson, type Writer } from './print.ts';

export type HaltPolicy = 'abort' | 'skip' | 'try';

export type HeadlessOptions = {
  readonly json: boolean;
  readonly onHalt: HaltPolicy;
  /** Hosts that Project may connect to, with or without a port. */
  readonly net?: readonly string[];
  /** Receivers to which commands may send data (AC-8). */
  readonly leave?: readonly string[];
  /** A time limit for the work, in seconds. */
  readonly seconds?: number;
  readonly out: Writer;
  readonly err: Writer;
};

/** Prints what happens, answers questions by policy, and ends runs on SIGINT. */
class Headless {
  readonly #app: App;
  readonly #options: HeadlessOptions;
  readonly #printer: EntryPrinter;
  readonly #answered = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #due: NodeJS.Immediate | undefined;
  /** The exit code if a signal or a limit ended the work. */
  ended: number | undefined;
  /** A paid call was blocked by the spending limit. */
  spent = false;
  /** Resolves at the first SIGINT. */
  readonly interruption: Promise<'interrupted'>;
  #tellInterruption: (word: 'interrupted') => void = () => {};

  constructor(app: App, options: HeadlessOptions) {
    this.#app = app;
    this.#options = options;
    // Don't print again what a resumed session has already shown.
    const { transcript, services } = app.engine;
    const manner = { ...options, announce: true };
    this.#printer = new EntryPrinter(manner, transcript.entries.length, services.secrets.reveal);
    this.interruption = new Promise((resolve) => {
      this.#tellInterruption = resolve;
    });
    // Notices go to stderr, to keep them out of the answer.
    for (const text of app.notices) options.err(`aish-tui: ${text}\n`);
    app.engine.onGiveBack((text) => options.err(`not sent: ${visible(text)}\n`));
    // Print after the current turn of the event loop, so that no request waits for the output.
    app.engine.subscribe(() => {
      this.#due ??= setImmediate(() => this.#look());
    });
    process.on('SIGINT', () => this.#end(EXIT.interrupted));
    process.on('SIGTERM', () => this.#end(EXIT.terminated));
    if (options.seconds !== undefined) this.#endAfter(options.seconds);
  }

  #endAfter(seconds: number): void {
    const timer = setTimeout(() => {
      this.#options.err(`aish-tui: the time is up (${seconds} s)\n`);
      this.#end(EXIT.budget);
    }, seconds * 1000);
    timer.unref();
  }

  /** Answers questions that are already open; resolves when their work is done. */
  async begin(): Promise<void> {
    this.#look();
    await this.rest();
  }

  /** Resolves when the conversation and the shell are idle. */
  async rest(): Promise<void> {
    while (this.#busy) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    // The report on a run's changes follows its end.
    await this.#app.changesTold();
    this.#printer.print(this.#app.engine.transcript.entries);
  }

  /**
   * The model's jobs end with the program, so wait for running ones. Returns whether all succeeded, and names those
   * that did not.
   */
  async jobsEnd(): Promise<boolean> {
    const running = () => this.#app.engine.services.jobs.running().filter(({ owner }) => owner === 'model');
    const open = running();
    if (open.length === 0) return true;
    this.#options.err(`aish-tui: waiting for ${open.map(jobName).join(', ')}\n`);
    const limit = setTimeout(() => this.#tellInterruption('interrupted'), JOB_LIMIT_MS);
    const results = await Promise.race([Promise.all(open.map((job) => job.running.result)), this.interruption]);
    clearTimeout(limit);
    await this.rest();
    if (results !== 'interrupted') return results.every(({ exit }) => exit === 0);
    for (const job of running()) this.#options.err(`aish-tui: this job ended with the run: ${jobName(job)}\n`);
    return false;
  }

  get #busy(): boolean {
    const { engine } = this.#app;
    return engine.conversation.phase.kind !== 'idle' || engine.state.shell.running !== undefined;
  }

  #look(): void {
    clearImmediate(this.#due);
    this.#due = undefined;
    const { engine } = this.#app;
    this.#printer.print(engine.transcript.entries);
    for (const question of engine.state.questions) this.#answer(question);
    if (this.#busy) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #answer(question: Question): void {
    if (this.#answered.has(question.id)) return;
    this.#answered.add(question.id);
    const kind = answerWithout[question.kind] ?? this.#onHalt(question);
    if (question.kind === 'spend') this.spent = true;
    const { engine } = this.#app;
    const line = haltLine(engine.actions.revealQuestion(question));
    this.#options.err(`${line} -> ${kind} (no person to ask)\n`);
    if (this.#options.json)
      this.#options.out(
        `${escapeJson(JSON.stringify({ ...question, kind: 'question', asks: question.kind, answer: kind }))}\n`,
      );
    if (question.kind === 'halt' && question.trial) this.#printTrial(question.trial);
    // An abort at a sub-agent's HALT would end only that sub-agent; here it must end the whole run (CL-1).
    const whole = kind === 'abort' && question.session !== engine.state.root;
    // Deferred, because the dispatch that raised the question is still running.
    queueMicrotask(() => {
      if (whole) void engine.dispatch({ type: 'aborted', unattended: true });
      else {
        const answered = { type: 'answered', question: question.id, answer: { kind }, unattended: true } as const;
        void engine.dispatch(answered, question.session);
      }
    });
  }

  /** A trial shows what would change. Nothing is applied without a person, so the run ends then. */
  #onHalt(question: Question): 'abort' | 'skip' | 'try' {
    // A run continues without an action that only needs consent.
    if (question.kind === 'halt' && question.why === 'consent') return 'skip';
    const { onHalt } = this.#options;
    if (onHalt !== 'try') return onHalt;
    return question.kind === 'halt' && question.canTry && !question.trial ? 'try' : 'abort';
  }

  #printTrial(trial: Trial): void {
    this.#options.out(`${escapeJson(JSON.stringify({ kind: 'trial', trial }))}\n`);
  }

  /** A second signal does not wait. */
  #end(code: number): void {
    if (this.ended !== undefined && code !== EXIT.budget) {
      this.#look();
      process.exit(code);
    }
    this.ended ??= code;
    this.#tellInterruption('interrupted');
    // Ctrl-C comes from a person; a time limit or a termination signal does not.
    const byUser = code === EXIT.interrupted ? {} : { unattended: true as const };
    void this.#app.engine.dispatch({ type: 'aborted', ...byUser });
    this.#app.shell.running?.interrupt();
  }
}

/** How long to wait for jobs after a run, in ms. */
const JOB_LIMIT_MS = 60_000;

function jobName({ id, command }: Pick<Job, 'id' | 'command'>): string {
  return `job ${id} (${oneLine(command)})`;
}

/** Continuing after many skips, starting a plan, write access (MO-3) and more spending need a person. */
const answerWithout = {
  escalation: 'abort',
  plan: 'abort',
  mode: 'skip',
  spend: 'abort',
  form: 'skip',
  review: 'skip',
  fleet: 'skip',
  halt: undefined,
} as const;

function haltLine(question: Question): string {
  const who = question.asker ? ` (sub-agent ${question.asker.agent}: ${visible(question.asker.task)})` : '';
  switch (question.kind) {
    case 'escalation':
      return `HALT${who}: ${question.skips} actions skipped in a row`;
    case 'plan':
      return 'the plan needs a yes before its first step (norris.approve_plan)';
    case 'mode':
      if (question.outside)
        return `not run outside the light sandbox${who}: ${question.action ? oneLine(describeAction(question.action)) : ''} ("sandbox": { "unrestricted": "plain" } turns it off)`;
      if (question.offered)
        return `a wider mode than ${modeName(question.from)} is offered: ${visible(question.reason)}`;
      return `HALT${who}: the agent requests ${modeName(question.wish ?? 'unrestricted')} mode: ${visible(question.reason)}`;
    case 'spend':
      return `HALT${who}: ${spendText(question)}`;
    case 'form':
      return `${visible(question.server)} asks: ${visible(question.message)}`;
    case 'review':
      if (question.about === 'start')
        return `not started: ${oneLine(question.command)}, since a model changed ${question.items.map(nameText).join('; ')}`;
      if (question.about === 'network')
        return `not connected: ${oneLine(question.command)} to ${question.items.map(nameText).join(', ')} (--net allows it)`;
      return `${question.about === 'later' ? 'set aside' : 'no room for the undo of'}${who}: ${question.items.map(nameText).join('; ')}`;
    case 'fleet':
      return `HALT on ${question.hosts.map(visible).join(', ')}: ${dangersIn(question)}: ${oneLine(question.command)}`;
    case 'halt':
      if (question.why === 'consent' && question.judgement.leaves)
        return `not sent${who}: ${oneLine(describeAction(question.action))} to ${question.judgement.leaves.map(({ to }) => oneLine(to)).join(', ')} (--leave allows it)`;
      if (question.why === 'consent') return `needs approval${who}: ${oneLine(describeAction(question.action))}`;
      return `HALT${who}: ${dangersIn(question.judgement)}: ${oneLine(describeAction(question.action))}`;
  }
}

/** A log has no dialog that lists the other dangers. */
const dangersIn = (judged: Parameters<typeof everyDanger>[0]): string => oneLine(everyDanger(judged));

/** `aish-tui run <goal>`: one Norris run; the exit code tells the result. */
export async function runGoal(app: App, goal: string, options: HeadlessOptions): Promise<number> {
  const wrong = options.net?.find((host) => app.network.setNamed(host, true) === undefined);
  if (wrong !== undefined) {
    options.err(`aish-tui: --net ${wrong}: use HOST or HOST:PORT\n`);
    return EXIT.usage;
  }
  for (const to of options.leave ?? [])
    await app.engine.dispatch({ type: 'leaveSet', to, allowed: true }).catch(() => {});
  const headless = new Headless(app, options);
  // The journal itself reports a write error.
  await app.engine.dispatch({ type: 'norrisStarted', goal }).catch(() => {});
  await headless.rest();
  if (headless.ended !== undefined) return headless.ended;
  if (app.info().unsaved) return EXIT.unwritten;
  if (headless.spent) return EXIT.budget;
  const ended = app.engine.transcript.entries.findLast((shown) => shown.entry.kind === 'norrisEnded')?.entry;
  if (ended?.kind !== 'norrisEnded') return EXIT.modelFailed;
  const code = exitCodeOf(ended.status);
  if (code !== EXIT.ok || (await headless.jobsEnd())) return code;
  return headless.ended ?? EXIT.blocked;
}

/**
 * `aish-tui ask <question>`: one question with its sub-loop; actions that need approval are skipped. Without a final
 * text there is no answer, and the command has failed.
 */
export async function askQuestion(app: App, question: string, options: HeadlessOptions): Promise<number> {
  const headless = new Headless(app, options);
  await app.engine.dispatch({ type: 'asked', line: app.engine.newLineId(), text: question }).catch(() => {});
  await headless.rest();
  if (headless.ended !== undefined) return headless.ended;
  if (headless.spent) return EXIT.budget;
  const { entries } = app.engine.transcript;
  const last = entries.findLast(({ entry: { kind } }) => kind !== 'notice' && kind !== 'meta')?.entry;
  const answered = last?.kind === 'assistant' && !last.partial;
  const failed = entries.some(({ entry }) => entry.kind === 'notice' && entry.level === 'error');
  if (!answered && !failed) options.err('aish-tui: the model gave no answer\n');
  return failed || !answered ? EXIT.modelFailed : EXIT.ok;
}

/** Piped input: each line is one input line, in sequence; a HALT counts as skip. */
export async function runLines(app: App, lines: AsyncIterable<string>, options: HeadlessOptions): Promise<number> {
  const headless = new Headless(app, options);
  let quit: number | undefined;
  app.onQuit((code) => {
    quit = code;
  });
  // Start reading before any wait: input that arrives meanwhile would be lost.
  const input = lines[Symbol.asyncIterator]();
  // Finish what was open in a resumed session first; its end would also end a new line's work.
  await headless.begin();
  while (quit === undefined) {
    const next = await Promise.race([input.next(), headless.interruption]);
    if (next === 'interrupted' || next.done) break;
    await submitLine(app, next.value);
    await headless.rest();
    if (headless.ended !== undefined) break;
  }
  return headless.ended ?? quit ?? EXIT.ok;
}

/** The time in ms after which the program reports which servers it waits for. */
const SERVERS_WORD_AFTER_MS = 1000;

/** Waits for the servers' tools, with a time limit. A longer wait is reported. */
export async function serversReady(app: App, err: Writer): Promise<void> {
  const { patience } = app.mcp;
  const word = setTimeout(() => {
    const starting = app.mcp.servers().filter(({ state }) => state === 'starting');
    const names = starting.map(({ name }) => name).join(', ');
    if (names !== '') err(`aish-tui: waiting for ${names} (MCP, at most ${patience / 1000} s; Ctrl-C ends it)\n`);
  }, SERVERS_WORD_AFTER_MS);
  try {
    await app.mcp.start(patience);
  } finally {
    clearTimeout(word);
  }
  for (const { name, state, lastError } of app.mcp.servers()) {
    if (state === 'ready') continue;
    const why = state === 'starting' ? 'it has not started yet' : lastError || 'it is not running';
    err(`aish-tui: the tools of ${name} (MCP) are missing: ${visible(why)}\n`);
  }
}
