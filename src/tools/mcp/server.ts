/** One configured server through its whole life: started, watched, started again, closed. */
import type { Form, FormAnswer } from '../../session/form.ts';
import { stripStyles } from '../../text/sanitize.ts';
import type { Connection } from './connection.ts';
import { readTool, type ToolDefinition } from './definition.ts';
import { readElicitation } from './elicit.ts';
import { addressOf, type Hush, hushed } from './hush.ts';
import { IdleLimit } from './idle.ts';
import type { Json } from './json.ts';
import { TextRing } from './ring.ts';
import type { Launch, ServerConfig } from './types.ts';

export type ServerOptions = {
  readonly name: string;
  readonly config: ServerConfig;
  readonly version: string;
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly root: () => string;
  /** Milliseconds without a sign of life after which a call is given up. */
  readonly callLimit: number;
  /** Milliseconds before the first restart; each further one waits twice as long. */
  readonly firstPause: number;
  readonly onChange: () => void;
  /** One line for the user. */
  readonly say: (level: 'info' | 'warning', text: string) => void;
  readonly elicit: (request: Form, signal: AbortSignal) => Promise<FormAnswer>;
};

export type ServerState = 'off' | 'starting' | 'ready' | 'waiting' | 'failed';

/** Restarts in a row before it is left alone. */
const MOST_RESTARTS = 6;
const LONGEST_PAUSE = 60_000;
/** A server that has lived so long has earned a fresh row of restarts. In ms. */
const PROVEN = 60_000;
/** Changes of its list are looked at together. In ms. */
const LIST_PAUSE = 100;
/** Reports of progress passed on, at most one in so many ms. */
const PROGRESS_PAUSE = 100;
const LONGEST_PROGRESS = 200;
/** Forms of one server that wait for the user at the same time. */
const MOST_ASKING = 4;

export class Server {
  readonly name: string;
  readonly config: ServerConfig;
  state: ServerState = 'off';
  /** Kept while it is away, so that the model's list of tools stays as it is. */
  tools: readonly ToolDefinition[] = [];
  /** What it calls itself. */
  title = '';
  lastError = '';
  readonly #options: ServerOptions;
  readonly #ring = new TextRing();
  readonly #hush: Hush;
  #connection: Connection | undefined;
  /** Grows with every start and stop: what belongs to an earlier one is too late. */
  #era = 0;
  #restarts = 0;
  #readyAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  /** Questions to the user that are open. */
  #asking = 0;
  #opening = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  readonly #waiters = new Set<() => void>();

  constructor(options: ServerOptions) {
    this.name = options.name;
    this.config = options.config;
    this.#options = options;
    this.#hush = hushed(options.config);
  }

  /** What it is, in a few words without a secret. */
  get address(): string {
    return 'url' in this.config ? addressOf(this.config.url) : this.config.command;
  }

  /** The last of what it wrote beside the protocol. */
  get written(): string {
    return this.#hush.text(this.#ring.text);
  }

  /** Starts it; resolves when it is ready or has failed. Never rejects. */
  start(): Promise<void> {
    this.#era += 1;
    clearTimeout(this.#timer);
    this.#become('starting');
    this.#opening = new AbortController();
    return this.#await(this.#open(this.#era, this.#opening.signal));
  }

  async #open(era: number, signal: AbortSignal): Promise<void> {
    try {
      const { Connection: Live } = await import('./connection.ts');
      const { config, version, launch, env, cwd, root } = this.#options;
      if (era !== this.#era) return;
      const connection = await Live.open({
        config,
        version,
        launch,
        env,
        cwd,
        root,
        signal,
        onText: (text) => this.#ring.push(text),
        onToolsChanged: () => this.#listSoon(era),
        onGone: (why) => this.#lost(era, why),
        elicit: (params, signal) => this.#elicit(params, signal),
      });
      if (era !== this.#era) return await connection.close();
      this.#connection = connection;
      this.title = stripStyles(connection.title).slice(0, 100);
      this.#take(await connection.tools());
      if (era !== this.#era) return;
      this.#readyAt = performance.now();
      if (this.lastError !== '') this.#options.say('info', `mcp: ${this.name} is back`);
      this.lastError = '';
      this.#become('ready');
    } catch (error) {
      if (era !== this.#era) return;
      const { reasonOf } = await import('./connection.ts');
      this.#lost(era, reasonOf(error));
    }
  }

  /** What is under way is waited for at the end. */
  #await(work: Promise<void>): Promise<void> {
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  /** Resolves when it is no longer on its way, at the latest after so many ms. */
  settled(milliseconds: number): Promise<void> {
    if (this.state !== 'off' && this.state !== 'starting') return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), milliseconds);
      timer.unref();
      const done = () => {
        clearTimeout(timer);
        this.#waiters.delete(done);
        resolve();
      };
      this.#waiters.add(done);
    });
  }

  /** By the user's wish: a fresh start with a fresh row of restarts. */
  async restart(): Promise<void> {
    await this.close();
    this.#restarts = 0;
    this.lastError = '';
    await this.start();
  }

  /** Calls a tool. A failure of any kind is a text and never a rejection. */
  async call(
    own: string,
    args: Json,
    options: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
  ): Promise<{ readonly raw: Json } | { readonly problem: string }> {
    const connection = this.#connection;
    const era = this.#era;
    if (!connection || this.state !== 'ready') return { problem: this.away };
    const limit = new IdleLimit(this.#options.callLimit, () => this.#asking > 0);
    const report = everySoOften(options.onProgress);
    try {
      const raw = await connection.call(own, args, {
        signal: AbortSignal.any([options.signal, limit.signal]),
        onProgress: (progress) => {
          limit.alive();
          report(progressLine(progress));
        },
      });
      return { raw };
    } catch (error) {
      // The library reports a cancelled call as one that took too long: the signals know better.
      if (options.signal.aborted) return { problem: 'aborted by the user; what it has done until then is not known' };
      if (limit.signal.aborted) {
        const seconds = Math.round(this.#options.callLimit / 1000);
        return { problem: `${this.name} gave no sign of life for ${seconds} s; the call was given up` };
      }
      const { isAnswer, reasonOf } = await import('./connection.ts');
      const text = this.#hush.line(reasonOf(error));
      if (era === this.#era && isAnswer(error)) return { problem: text };
      if (era === this.#era) this.#lost(era, text);
      return {
        problem: `${this.name} went away during the call (${this.lastError || text}); its outcome is not known`,
      };
    } finally {
      limit.stop();
    }
  }

  /** Why it can't be called now, in words for the model. */
  get away(): string {
    const why = this.lastError === '' ? '' : ` (${this.lastError})`;
    switch (this.state) {
      case 'starting':
        return `${this.name} is still starting; try again in a moment`;
      case 'waiting':
        return `${this.name} is not running${why}; it will be started again`;
      default:
        return `${this.name} is not running${why}; the user can start it with :mcp restart ${this.name}`;
    }
  }

  rootMoved(): void {
    this.#connection?.rootMoved();
  }

  /** Ends it; twice is fine. */
  async close(): Promise<void> {
    this.#era += 1;
    clearTimeout(this.#timer);
    clearTimeout(this.#listTimer);
    const connection = this.#connection;
    this.#connection = undefined;
    this.#become('off');
    this.#opening.abort();
    if (connection) void this.#await(connection.close());
    await Promise.allSettled(this.#pending);
  }

  #become(state: ServerState): void {
    this.state = state;
    this.#options.onChange();
    if (state !== 'starting') for (const done of [...this.#waiters]) done();
  }

  #take(raw: readonly unknown[]): void {
    const byName = new Map<string, ToolDefinition>();
    for (const one of raw) {
      const tool = readTool(this.name, one);
      if (tool && !byName.has(tool.spec.name)) byName.set(tool.spec.name, tool);
    }
    const before = new Map(this.tools.map((tool) => [tool.spec.name, tool]));
    // What has not changed stays the same object: checks that were prepared for it hold.
    this.tools = [...byName.values()]
      .map((tool) => (before.get(tool.spec.name)?.digest === tool.digest ? (before.get(tool.spec.name) ?? tool) : tool))
      .sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
    this.#options.onChange();
  }

  #listSoon(era: number): void {
    clearTimeout(this.#listTimer);
    this.#listTimer = setTimeout(async () => {
      const connection = this.#connection;
      if (era !== this.#era || !connection) return;
      try {
        const tools = await connection.tools();
        if (era === this.#era) this.#take(tools);
      } catch (error) {
        this.#ring.push(`[its tools could not be listed: ${String(error)}]\n`);
      }
    }, LIST_PAUSE);
  }

  /** It ended, or could not be started: said once, then tried again after ever longer pauses. */
  #lost(era: number, why: string): void {
    if (era !== this.#era) return;
    this.#era += 1;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) void this.#await(connection.close());
    const first = this.lastError === '';
    this.lastError = this.#hush.line(inWords(why, this.#ring.lastLine));
    if (performance.now() - this.#readyAt > PROVEN) this.#restarts = 0;
    this.#restarts += 1;
    const again = this.#restarts <= MOST_RESTARTS && !this.lastError.startsWith(NO_PROGRAM);
    if (!again) {
      this.#options.say('warning', `mcp: ${this.name}: ${this.lastError}; :mcp restart ${this.name} tries again`);
      return this.#become('failed');
    }
    if (first) this.#options.say('warning', `mcp: ${this.name}: ${this.lastError}; it is started again`);
    const pause = Math.min(LONGEST_PAUSE, this.#options.firstPause * 2 ** (this.#restarts - 1));
    this.#timer = setTimeout(() => void this.start(), pause);
    this.#become('waiting');
  }

  async #elicit(params: Json, signal: AbortSignal): Promise<FormAnswer> {
    const request = readElicitation(this.name, params);
    if (!request) return { action: 'decline' };
    // A person answers one after the other: more at once would only bury what else waits for an answer.
    if (this.#asking >= MOST_ASKING) return { action: 'cancel' };
    this.#asking += 1;
    try {
      return await this.#options.elicit(request, signal);
    } finally {
      this.#asking -= 1;
    }
  }
}

/** No time will make it appear. */
const NO_PROGRAM = 'could not start';

/** How it ended, with its own last line. Exit 126 and 127 come from the shell that was to become the program. */
function inWords(why: string, last: string): string {
  const missing = /exit 12[67]$/.test(why) ? /^\S*bash: line \d+: (?:exec: )?(.+)$/.exec(last)?.[1] : undefined;
  if (missing !== undefined) return `${NO_PROGRAM}: ${missing}`;
  return last === '' || why.includes(last) ? why : `${why}: ${last}`;
}

function progressLine({ progress, total, message }: Json): string {
  const counts = typeof progress === 'number' ? `${progress}${typeof total === 'number' ? `/${total}` : ''}` : '';
  const words =
    typeof message === 'string' ? stripStyles(message.slice(0, LONGEST_PROGRESS)).replaceAll('\n', ' ') : '';
  return [counts, words].filter((part) => part !== '').join(' ');
}

/** Passes on the first and then not more often than the pause allows; what comes between is replaced by what is next. */
function everySoOften(pass: (line: string) => void): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (performance.now() - last < PROGRESS_PAUSE) return;
    last = performance.now();
    pass(line);
  };
}
