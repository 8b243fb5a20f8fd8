/** One configured server through its whole life: started, watched, started again, closed. */
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
  /** Puts in what the configuration takes from the environment and from commands. Rejects with why it can't. */
  readonly fill?: (name: string, config: ServerConfig, byUser: boolean) => Promise<ServerConfig>;
  /** Milliseconds that a start may take. */
  readonly startTimeoutMs: number;
  /** Milliseconds without a sign of life after which a call is given up. */
  readonly callTimeoutMs: number;
  /** Milliseconds before the first restart; each further one waits twice as long. */
  readonly restartDelayMs: number;
  /** Whether one that has ended may be started again by itself now; else it waits. */
  readonly mayRestart?: () => boolean;
  /** Whether a program may be started; `byUser`: they have just asked for it. */
  readonly mayStart?: (name: string, program: Program, byUser: boolean) => Promise<boolean>;
  readonly onChange: () => void;
  /** One line for the user. */
  readonly say: (level: 'info' | 'warning', text: string) => void;
  readonly elicit: (request: Form, signal: AbortSignal) => Promise<FormAnswer>;
};

/** `login`: it wants a person to log in, and nothing is tried before that. */
export type ServerState = 'off' | 'starting' | 'ready' | 'waiting' | 'failed' | 'login';

/** Restarts in a row before it is left alone. */
const MAX_RESTARTS = 6;
const MAX_RESTART_DELAY_MS = 60_000;
/** A server that has lived so long has earned a fresh row of restarts. In ms. */
const STABLE_MS = 60_000;
/** Changes of its list are looked at together. In ms. */
const LIST_DELAY_MS = 100;
/** Forms of one server that wait for the user at the same time. */
const MAX_OPEN_FORMS = 4;

export class Server {
  readonly name: string;
  readonly config: ServerConfig;
  state: ServerState = 'off';
  /** Since when it is `starting`, in ms since the epoch; undefined in every other state. */
  startingSince: number | undefined;
  /** Kept while it is away, so that the model's list of tools stays as it is. */
  tools: readonly ToolDefinition[] = [];
  /** What it calls itself. */
  title = '';
  lastError = '';
  readonly #options: ServerOptions;
  readonly #tail = new TailBuffer();
  readonly #redactor: Redactor;
  #connection: Connection | undefined;
  readonly #login: ServerLogin;
  /** The configuration with what it takes from elsewhere. */
  #filled: ServerConfig;
  /** Grows with every start and stop: what belongs to an earlier one is too late. */
  #generation = 0;
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
    this.#filled = options.config;
    this.#login = new ServerLogin(options, () => this.#filled);
    this.#redactor = redactorFor(
      () => this.#filled,
      () => this.#login.secrets,
    );
  }

  /** What it is, in a few words without a secret. */
  get address(): string {
    return 'url' in this.config ? addressOf(this.config.url) : this.config.command;
  }

  /** The last of what it wrote beside the protocol. */
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

  /** Nothing is restarted: only a person can go on. */
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
   * Logs in, by the user's wish; a second call joins the first.
   * @param show told once where the user logs in
   * @returns why not; undefined when done
   */
  async login(show: (address: string, server: string) => void): Promise<string | undefined> {
    const problem = await this.#login.run(show);
    if (problem !== undefined) return this.#redactor.line(problem);
    // Further rights for a connection that stands need no other one.
    if (this.state !== 'ready') await this.restart();
    return undefined;
  }

  /** The address that the browser ended at, where it can't reach this machine. False when it is of no open login. */
  takeLogin(address: string): boolean {
    return this.#login.take(address);
  }

  /** Forgets the login; false where there was none. */
  async logout(): Promise<boolean> {
    const had = await this.#login.forget();
    if (had) await this.restart();
    return had;
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
    await this.start(true);
  }

  /** Calls a tool. A failure of any kind is a text and never a rejection. */
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
      // The library reports a cancelled call as one that took too long: the signals know better.
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

  /** A call that a login stands in the way of: which, in words for the model, and for the user. */
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

  /** Ends it. Idempotent. */
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
    // What has not changed stays the same object: checks that were prepared for it hold.
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

  /** It ended, or could not be started: said once, then tried again after ever longer pauses. */
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
    // A person answers one after the other: more at once would only bury what else waits for an answer.
    if (this.#asking >= MAX_OPEN_FORMS) return { action: 'cancel' };
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

// The signs of life of one call: what it is allowed to take, and what of them is shown.

/** Reports of progress passed on: at most one in this time. */
const PROGRESS_INTERVAL_MS = 100;
const MAX_PROGRESS_CHARS = 200;

/**
 * The time limit of a call: it runs from the last sign of life, and stands still while the server waits for the user.
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

  /** Fires when the time is over. */
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

/**
 * Passes on the first and then not more often than the pause allows; what comes between is replaced by what is next.
 */
function everySoOften(pass: (line: string) => void): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (performance.now() - last < PROGRESS_INTERVAL_MS) return;
    last = performance.now();
    pass(line);
  };
}

/** Shorter values stand in many texts by chance. */
const MIN_SECRET_CHARS = 6;
const MAX_LINE_CHARS = 300;

type Redactor = {
  /** The text without what the configuration hands to the server. */
  text(text: string): string;
  /** The same as one clean line. */
  line(text: string): string;
};

/**
 * Takes out of texts what may be secret in a server's configuration: the values of headers and variables, and whatever
 * its address holds beside host and path; and what a login has brought (`learned`).
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
  // `Bearer …`: the scheme is none.
  const bare = values.flatMap((value) => [value, value.replace(/^\w+ +/, '')]);
  if (!('url' in config) || !URL.canParse(config.url)) return bare;
  const { search, searchParams, username, password, hash } = new URL(config.url);
  return [...bare, search.slice(1), ...searchParams.values(), username, password, hash.slice(1)];
}

/** Host and path. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return 'its address';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

// The login to one server, by the user's wish. Nothing of OAuth is loaded for a server that is a program.

type LoginOptions = {
  readonly name: string;
  readonly config: ServerConfig;
  /** Where logins are kept. */
  readonly loginFolder: string;
  /** The value of a variable that the configuration names for a login. */
  readonly secret: (variable: string) => string | undefined;
  /** Told of every value of a login that must not be shown. */
  readonly learn: (value: string) => void;
};

class ServerLogin {
  readonly #options: LoginOptions;
  #authorization: Authorization | undefined;
  #underWay = new AbortController();

  readonly #config: () => ServerConfig;

  /** @param config as it is now, with what it takes from elsewhere */
  constructor(options: LoginOptions, config: () => ServerConfig) {
    this.#options = options;
    this.#config = config;
  }

  /** Values that must not be shown. */
  get secrets(): readonly string[] {
    return this.#authorization?.secrets ?? [];
  }

  /** Of a server with an address and without a header of the user's that says who they are. */
  async authorization(): Promise<Authorization | undefined> {
    const { loginFolder: folder, secret, learn } = this.#options;
    const config = this.#config();
    if (!('url' in config) || Object.keys(config.headers ?? {}).some((name) => /^authorization$/i.test(name))) return;
    const { Authorization } = await import('./oauth/authorization.ts');
    this.#authorization ??= new Authorization({ url: config.url, config: config.oauth ?? {}, folder, secret, learn });
    return this.#authorization;
  }

  /** @returns why not; undefined when done */
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

  /** False where there was none. */
  async forget(): Promise<boolean> {
    return (await this.authorization())?.logout() ?? false;
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#underWay.abort();
  }
}

/** Characters kept of what a server wrote beside the protocol. */
const MAX_CHARS = 16 * 1024;

/** The last of a text that never ends. */
class TailBuffer {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_CHARS);
  }

  /** Clean text. */
  get text(): string {
    return plainText(this.#text);
  }

  /** The last line that is not blank. */
  get lastLine(): string {
    return this.text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}
