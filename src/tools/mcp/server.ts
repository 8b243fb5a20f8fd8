/** The life of one configured server: start, supervision, restart, end. */
import type { Form, FormAnswer } from '../../session/form.ts';
import { messageOf } from '../../text/errors.ts';
import type { JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';
import type { Connection } from './connection.ts';
import {
  type Launch,
  type Program,
  readElicitation,
  readTool,
  type ServerConfig,
  type ToolDefinition,
} from './messages.ts';

import type { Authorization } from './oauth/authorization.ts';

export type ServerOptions = LoginOptions & {
  readonly version: string;
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly root: () => string;
  /**
   * Substitutes values from the environment and from commands in the configuration. Rejects with the reason on
   * failure.
   */
  readonly fill?: (name: string, config: ServerConfig, byUser: boolean) => Promise<ServerConfig>;
  /** The time limit of a start, in ms. */
  readonly startTimeoutMs: number;
  /** A call ends after this many ms without a sign of life. */
  readonly callTimeoutMs: number;
  /** The delay of the first restart in ms; each further one doubles it. */
  readonly restartDelayMs: number;
  /** Whether an ended server may be restarted automatically now; else it waits. */
  readonly mayRestart?: () => boolean;
  /** Whether a program may be started; `byUser`: the user has just requested it. */
  readonly mayStart?: (name: string, program: Program, byUser: boolean) => Promise<boolean>;
  readonly onChange: () => void;
  /** Shows one line to the user. */
  readonly say: (level: 'info' | 'warning', text: string) => void;
  readonly elicit: (request: Form, signal: AbortSignal) => Promise<FormAnswer>;
};

/** The state of a server. `login`: it requires a person to log in, and is not retried before that. */
export type ServerState = 'off' | 'starting' | 'ready' | 'waiting' | 'failed' | 'login';

/** How many restarts in a row before giving up. */
const MAX_RESTARTS = 6;
const MAX_RESTART_DELAY_MS = 60_000;
/** A server that ran this long gets all its restarts back. In ms. */
const STABLE_MS = 60_000;
/** Changes of its list within this time are handled together. In ms. */
const LIST_DELAY_MS = 100;
/** How many forms of one server may wait for the user. */
const MAX_OPEN_FORMS = 4;

export class Server {
  readonly name: string;
  readonly config: ServerConfig;
  state: ServerState = 'off';
  /** When `starting` began, in ms since the epoch; undefined in every other state. */
  startingSince: number | undefined;
  /** Kept while the server is away, so that the model's list of tools stays the same. */
  tools: readonly ToolDefinition[] = [];
  /** The server's own name for itself. */
  title = '';
  lastError = '';
  readonly #options: ServerOptions;
  readonly #tail = new TailBuffer();
  readonly #redactor: Redactor;
  #connection: Connection | undefined;
  readonly #login: ServerLogin;
  /** The configuration after substitution. */
  #filled: ServerConfig;
  /** Increases with every start and stop; results of an earlier generation are ignored. */
  #generation = 0;
  #restarts = 0;
  #readyAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  /** The number of open questions to the user. */
  #asking = 0;
  #opening = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  readonly #waiters = new Set<() => void>();

  constructor(options: ServerOptions) {
    this.name = options.name;
    this.config = options.config;
    this.#options = options;
    this.#filled = options.config;
    this.#login = new ServerLogin(options, () => this.#filled);
    this.#redactor = redactorFor(
      () => this.#filled,
      () => this.#login.secrets,
    );
  }

  /** Describes it in a few words without secrets. */
  get address(): string {
    return 'url' in this.config ? addressOf(this.config.url) : this.config.command;
  }

  /** The end of its output outside the protocol. */
  get written(): string {
    return this.#redactor.text(this.#tail.text);
  }

  /** Starts it; resolves when it is ready or has failed. Never rejects. */
  start(byUser = false): Promise<void> {
    this.#generation += 1;
    clearTimeout(this.#timer);
    this.#become('starting');
    this.#opening = new AbortController();
    return this.#await(this.#open(this.#generation, this.#opening.signal, byUser));
  }

  async #open(generation: number, signal: AbortSignal, byUser: boolean): Promise<void> {
    try {
      const { Connection: Live } = await import('./connection.ts');
      const { version, launch, env, cwd, root, startTimeoutMs, mayStart } = this.#options;
      const config = await this.#fill(byUser);
      if ('command' in config && mayStart && !(await mayStart(this.name, config, byUser)))
        return this.#refused(generation);
      if (generation !== this.#generation) return;
      const connection = await Live.open({
        config,
        version,
        startTimeoutMs,
        launch,
        env,
        cwd,
        root,
        signal,
        authorization: await this.#login.authorization(),
        onText: (text) => this.#tail.push(text),
        onToolsChanged: () => this.#listSoon(generation),
        onGone: (why) => this.#lost(generation, why),
        elicit: (params, signal) => this.#elicit(params, signal),
      });
      if (generation !== this.#generation) return await connection.close();
      this.#connection = connection;
      this.title = plainText(connection.title).slice(0, 100);
      this.#take(await connection.tools());
      if (generation !== this.#generation) return;
      this.#readyAt = performance.now();
      if (this.lastError !== '') this.#options.say('info', `mcp: ${this.name} is back`);
      this.lastError = '';
      this.#become('ready');
    } catch (error) {
      if (generation !== this.#generation) return;
      const { loginWanted, reasonOf } = await import('./connection.ts');
      if (loginWanted(error) === undefined) this.#lost(generation, reasonOf(error));
      else this.#wantsLogin(generation);
    }
  }

  async #fill(byUser: boolean): Promise<ServerConfig> {
    const { fill, config } = this.#options;
    try {
      if (fill) this.#filled = await fill(this.name, config, byUser);
    } catch (error) {
      throw new Error(`${NO_PROGRAM}: ${messageOf(error)}`);
    }
    return this.#filled;
  }

  #refused(generation: number): void {
    if (generation !== this.#generation) return;
    this.#generation += 1;
    this.lastError = `not started: a model changed what it comes from; :mcp restart ${this.name} asks again`;
    this.#become('failed');
  }

  /** Don't restart it: only a person can continue. */
  #wantsLogin(generation: number): void {
    if (generation !== this.#generation) return;
    this.#generation += 1;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) void this.#await(connection.close());
    this.#options.say('warning', `mcp: ${this.name} wants a login: :mcp login ${this.name}`);
    this.lastError = 'it wants a login';
    this.#become('login');
  }

  /**
   * Logs in on the user's request; a second call joins the first.
   * @param show called once with the address for the login
   * @returns the reason of a failure; undefined on success
   */
  async login(show: (address: string, server: string) => void): Promise<string | undefined> {
    const problem = await this.#login.run(show);
    if (problem !== undefined) return this.#redactor.line(problem);
    // More scopes for an open connection need no new one.
    if (this.state !== 'ready') await this.restart();
    return undefined;
  }

  /**
   * Takes the browser's final address, if the browser can't reach this machine. Returns false if it belongs to no
   * open login.
   */
  takeLogin(address: string): boolean {
    return this.#login.take(address);
  }

  /** Forgets the login; returns false if there was none. */
  async logout(): Promise<boolean> {
    const had = await this.#login.forget();
    if (had) await this.restart();
    return had;
  }

  /** Work in progress is awaited at the end. */
  #await(work: Promise<void>): Promise<void> {
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  /** Resolves when it is no longer starting, at the latest after this many ms. */
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

  /** Restarts it on the user's request, with all automatic restarts available again. */
  async restart(): Promise<void> {
    await this.close();
    this.#restarts = 0;
    this.lastError = '';
    await this.start(true);
  }

  /** Calls a tool. Every failure is returned as text; never rejects. */
  async call(
    own: string,
    args: JsonObject,
    options: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
  ): Promise<{ readonly raw: JsonObject } | { readonly problem: string }> {
    const connection = this.#connection;
    const generation = this.#generation;
    if (!connection || this.state !== 'ready') return { problem: this.away };
    const limit = new IdleTimeout(this.#options.callTimeoutMs, () => this.#asking > 0);
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
      // The library reports a cancelled call as a timeout; the signals tell which one it was.
      if (options.signal.aborted) return { problem: 'aborted by the user; what it did before that is not known' };
      if (limit.signal.aborted) {
        const seconds = Math.round(this.#options.callTimeoutMs / 1000);
        return { problem: `${this.name} sent nothing for ${seconds} s; the call was cancelled` };
      }
      const { isAnswer, loginWanted, reasonOf } = await import('./connection.ts');
      const rights = loginWanted(error);
      if (rights !== undefined) return { problem: this.#lacking(generation, this.#redactor.line(rights)) };
      const text = this.#redactor.line(reasonOf(error));
      if (generation === this.#generation && isAnswer(error)) return { problem: text };
      if (generation === this.#generation) this.#lost(generation, text);
      return {
        problem: `${this.name} went away during the call (${this.lastError || text}); its outcome is not known`,
      };
    } finally {
      limit.stop();
    }
  }

  /** A call failed because a login is missing: describes it for the model and for the user. */
  #lacking(generation: number, rights: string): string {
    if (rights === '') this.#wantsLogin(generation);
    else {
      const line = `mcp: ${this.name} wants further rights (${rights}): :mcp login ${this.name}`;
      this.#options.say('warning', line);
    }
    const what = rights === '' ? 'a login' : `a login with further rights (${rights})`;
    return `${this.name} wants ${what}; the user can log in with :mcp login ${this.name}`;
  }

  /** Why it can't be called now, in words for the model. */
  get away(): string {
    const why = this.lastError === '' ? '' : ` (${this.lastError})`;
    switch (this.state) {
      case 'starting':
        return `${this.name} is still starting; try again in a moment`;
      case 'login':
        return `${this.name} wants a login; the user can log in with :mcp login ${this.name}`;
      case 'waiting':
        return `${this.name} is not running${why}; it will be restarted`;
      default:
        return `${this.name} is not running${why}; the user can start it with :mcp restart ${this.name}`;
    }
  }

  rootMoved(): void {
    this.#connection?.rootMoved();
  }

  /** Ends the server. Idempotent. */
  async close(): Promise<void> {
    this.#generation += 1;
    clearTimeout(this.#timer);
    clearTimeout(this.#listTimer);
    const connection = this.#connection;
    this.#connection = undefined;
    this.#become('off');
    this.#opening.abort();
    this.#login.stop();
    if (connection) void this.#await(connection.close());
    await Promise.allSettled(this.#pending);
  }

  #become(state: ServerState): void {
    this.state = state;
    this.startingSince = state === 'starting' ? Date.now() : undefined;
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
    // Reuse unchanged objects, so that their compiled checks stay valid.
    this.tools = [...byName.values()]
      .map((tool) => (before.get(tool.spec.name)?.digest === tool.digest ? (before.get(tool.spec.name) ?? tool) : tool))
      .sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
    this.#options.onChange();
  }

  #listSoon(generation: number): void {
    clearTimeout(this.#listTimer);
    this.#listTimer = setTimeout(async () => {
      const connection = this.#connection;
      if (generation !== this.#generation || !connection) return;
      try {
        const tools = await connection.tools();
        if (generation === this.#generation) this.#take(tools);
      } catch (error) {
        this.#tail.push(`[its tools could not be listed: ${String(error)}]\n`);
      }
    }, LIST_DELAY_MS);
  }

  /** Reports once that the server ended or could not start, then retries after increasing pauses. */
  #lost(generation: number, why: string): void {
    if (generation !== this.#generation) return;
    this.#generation += 1;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) void this.#await(connection.close());
    const first = this.lastError === '';
    this.lastError = this.#redactor.line(inWords(why, this.#tail.lastLine));
    if (performance.now() - this.#readyAt > STABLE_MS) this.#restarts = 0;
    this.#restarts += 1;
    const again = this.#restarts <= MAX_RESTARTS && !this.lastError.startsWith(NO_PROGRAM);
    if (!again) {
      this.#options.say('warning', `mcp: ${this.name}: ${this.lastError}; :mcp restart ${this.name} tries again`);
      return this.#become('failed');
    }
    if (first) this.#options.say('warning', `mcp: ${this.name}: ${this.lastError}; restarting it`);
    const pause = Math.min(MAX_RESTART_DELAY_MS, this.#options.restartDelayMs * 2 ** (this.#restarts - 1));
    this.#again(pause);
    this.#become('waiting');
  }

  #again(pause: number): void {
    this.#timer = setTimeout(() => {
      if (this.#options.mayRestart?.() === false) this.#again(pause);
      else void this.start();
    }, pause);
  }

  async #elicit(params: JsonObject, signal: AbortSignal): Promise<FormAnswer> {
    const request = readElicitation(this.name, params);
    if (!request) return { action: 'decline' };
    // A person answers one form at a time: more would hide other open questions.
    if (this.#asking >= MAX_OPEN_FORMS) return { action: 'cancel' };
    this.#asking += 1;
    try {
      return await this.#options.elicit(request, signal);
    } finally {
      this.#asking -= 1;
    }
  }
}

/** The program is missing, so a retry is pointless. */
const NO_PROGRAM = 'could not start';

/**
 * Describes how it ended, with its last line. Exit codes 126 and 127 come from the shell that should have become the
 * program.
 */
function inWords(why: string, last: string): string {
  const missing = /exit 12[67]$/.test(why) ? /^\S*bash: line \d+: (?:exec: )?(.+)$/.exec(last)?.[1] : undefined;
  if (missing !== undefined) return `${NO_PROGRAM}: ${missing}`;
  return last === '' || why.includes(last) ? why : `${why}: ${last}`;
}

// The progress of one call: its timeout, and which reports are shown.

/** At most one progress report per this time is shown, in ms. */
const PROGRESS_INTERVAL_MS = 100;
const MAX_PROGRESS_CHARS = 200;

/**
 * The time limit of a call: it starts again with each sign of life, and pauses while the server waits for the user.
 */
class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #waits: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, waits: () => boolean) {
    this.#milliseconds = milliseconds;
    this.#waits = waits;
    this.alive();
  }

  /** Fires after the timeout. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#waits() ? this.alive() : this.#controller.abort()), this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function progressLine({ progress, total, message }: JsonObject): string {
  const counts = typeof progress === 'number' ? `${progress}${typeof total === 'number' ? `/${total}` : ''}` : '';
  const words =
    typeof message === 'string' ? plainText(message.slice(0, MAX_PROGRESS_CHARS)).replaceAll('\n', ' ') : '';
  return [counts, words].filter((part) => part !== '').join(' ');
}

/** Passes on the first call and then at most one per interval; of those in between only the latest. */
function everySoOften(pass: (line: string) => void): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (performance.now() - last < PROGRESS_INTERVAL_MS) return;
    last = performance.now();
    pass(line);
  };
}

/** Shorter values occur in many texts by chance. */
const MIN_SECRET_CHARS = 6;
const MAX_LINE_CHARS = 300;

type Redactor = {
  /** Removes from a text the values that the configuration passes to the server. */
  text(text: string): string;
  /** The same as one clean line. */
  line(text: string): string;
};

/**
 * Removes possible secrets of a server's configuration from texts: values of headers and variables, everything in its
 * address besides host and path, and values from a login (`learned`).
 */
export function redactorFor(config: () => ServerConfig, learned: () => readonly string[]): Redactor {
  const text = (given: string) =>
    [...new Set([...secretsOf(config()), ...learned()])]
      .filter((value) => value.length >= MIN_SECRET_CHARS)
      .sort((a, b) => b.length - a.length)
      .reduce((shown, secret) => shown.replaceAll(secret, '…'), given);
  return {
    text,
    line(given) {
      const line = plainText(text(given)).replace(/\s+/g, ' ').trim();
      return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
    },
  };
}

function secretsOf(config: ServerConfig): readonly string[] {
  const values = Object.values(('url' in config ? config.headers : config.env) ?? {});
  // In `Bearer …` the scheme is not secret.
  const bare = values.flatMap((value) => [value, value.replace(/^\w+ +/, '')]);
  if (!('url' in config) || !URL.canParse(config.url)) return bare;
  const { search, searchParams, username, password, hash } = new URL(config.url);
  return [...bare, search.slice(1), ...searchParams.values(), username, password, hash.slice(1)];
}

/** Returns the host and path of an address. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return 'its address';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

// The login to one server on the user's request. OAuth code is not loaded for a server that is a program.

type LoginOptions = {
  readonly name: string;
  readonly config: ServerConfig;
  readonly loginFolder: string;
  /** Returns the value of a variable that the configuration names for a login. */
  readonly secret: (variable: string) => string | undefined;
  /** Called with every value of a login that must not be shown. */
  readonly learn: (value: string) => void;
};

class ServerLogin {
  readonly #options: LoginOptions;
  #authorization: Authorization | undefined;
  #underWay = new AbortController();

  readonly #config: () => ServerConfig;

  /** @param config returns the current configuration after substitution */
  constructor(options: LoginOptions, config: () => ServerConfig) {
    this.#options = options;
    this.#config = config;
  }

  /** Values that must not be shown. */
  get secrets(): readonly string[] {
    return this.#authorization?.secrets ?? [];
  }

  /** Returns the login, only for a server with an address and without an authorization header of the user. */
  async authorization(): Promise<Authorization | undefined> {
    const { loginFolder: folder, secret, learn } = this.#options;
    const config = this.#config();
    if (!('url' in config) || Object.keys(config.headers ?? {}).some((name) => /^authorization$/i.test(name))) return;
    const { Authorization } = await import('./oauth/authorization.ts');
    this.#authorization ??= new Authorization({ url: config.url, config: config.oauth ?? {}, folder, secret, learn });
    return this.#authorization;
  }

  /** @returns the reason of a failure; undefined on success */
  async run(show: (address: string, server: string) => void): Promise<string | undefined> {
    const authorization = await this.authorization();
    const { name } = this.#options;
    if (!authorization) return `${name} takes no login here: it is a program, or has a header of its own for that`;
    if (this.#underWay.signal.aborted) this.#underWay = new AbortController();
    try {
      await authorization.login(show, this.#underWay.signal);
      return undefined;
    } catch (error) {
      const { reasonOf } = await import('./connection.ts');
      return reasonOf(error);
    }
  }

  take(address: string): boolean {
    return this.#authorization?.take(address) ?? false;
  }

  /** Returns false if there was none. */
  async forget(): Promise<boolean> {
    return (await this.authorization())?.logout() ?? false;
  }

  /** Cancels work in progress. */
  stop(): void {
    this.#underWay.abort();
  }
}

/** How many characters are kept of a server's output outside the protocol. */
const MAX_CHARS = 16 * 1024;

/** Keeps the end of an endless text. */
class TailBuffer {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_CHARS);
  }

  /** The text, cleaned for the screen. */
  get text(): string {
    return plainText(this.#text);
  }

  /** The last line that is not blank. */
  get lastLine(): string {
    return this.text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}
