/** The connection to one host: an ssh master in its own terminal, and everything else through its socket. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningCommand } from '../../contracts/commands.ts';
import { shellQuote } from '../../text/shell.ts';
import { LAY_START } from './commands.ts';
import { parsePath } from './facts.ts';
import { type Answer, Helper, type Launch } from './helper.ts';

/** Milliseconds for a control command to the master, which may be stopped. */
const CHECK_TIMEOUT_MS = 2000;
/** Milliseconds for a sign of life; a helper that is still starting gets more. */
const LIFE_TIMEOUT_MS = 5000;
/** Milliseconds for work on the host's change store, and the maximum size of its answer. */
const WORK_TIMEOUT_MS = 600_000;
const MAX_WORK_BYTES = 32_000_000;
/** Milliseconds between two checks whether the master is ready. */
const READY_POLL_MS = 20;

export type ConnectionOptions = {
  readonly host: string;
  /** A private directory with a short path: a socket's path may have about 100 characters. */
  readonly folder: string;
  /** Starts a program in its own terminal. */
  readonly inTerminal: (argv: readonly [string, ...string[]]) => RunningCommand;
  /** How to start a child that runs as long as the program. */
  readonly companion: (argv: readonly string[]) => Launch;
  /** Records that a directory of ours exists on the host; the returned function removes the record. */
  readonly lies?: (directory: string) => () => void;
  /** The connection ended unexpectedly. */
  readonly onLost: () => void;
};

/** Facts that the host reported when the connection started. */
export type HostFacts = {
  /** A private directory on the host, for this connection and later ones. */
  readonly folder: string;
  readonly home: string;
  /** The path of the user's login shell. */
  readonly shell: string;
  readonly root: boolean;
  readonly zdotdir: string | undefined;
  readonly bash: string | undefined;
};

const SETUP = `umask 077
for d in "$XDG_RUNTIME_DIR" "$TMPDIR" /tmp; do
  [ -n "$d" ] && b=$(mktemp -d "$d/aish-tui-XXXXXXXX") && break
done
[ -d "$b" ] || exit 1`;
const FACTS = `cd; printf '%s\\0' "$b" "$(pwd)" "$SHELL" "$(id -u)" "$ZDOTDIR" "$(PATH=$PATH:$LOGIN_PATH command -v bash)"`;

export class Connection {
  readonly host: string;
  readonly slots = new Slots();
  readonly #options: ConnectionOptions;
  #socket = '';
  #master: RunningCommand | undefined;
  #helper: Promise<Helper | undefined> | undefined;
  #starting = false;
  #first = '';
  /** Aborts when this connection ends, because a starting helper may wait long. */
  #over = new AbortController();
  #facts: HostFacts | undefined;
  #forget: () => void = () => {};
  #state: 'closed' | 'opening' | 'open' | 'lost' = 'closed';

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.host = options.host;
  }

  get state(): 'closed' | 'opening' | 'open' | 'lost' {
    return this.#state;
  }

  /** The path of the master's socket; each connection has its own. */
  get socket(): string {
    return this.#socket;
  }

  get facts(): HostFacts | undefined {
    return this.#facts;
  }

  /** Starts the master. Its questions are answered in the returned command; `ready` resolves with the result. */
  open(): { readonly master: RunningCommand; readonly ready: Promise<string | undefined> } {
    this.#state = 'opening';
    this.#over = new AbortController();
    this.#socket = join(this.#options.folder, randomBytes(4).toString('hex'));
    const [file = 'ssh', ...args] = masterArgv(this.#socket, this.host);
    const master = this.#options.inTerminal([file, ...args]);
    this.#master = master;
    void master.result.then(() => {
      if (this.#master === master) this.#ended();
    });
    return { master, ready: this.#becomesReady(master) };
  }

  /**
   * Returns whether the host answers within some seconds: a master reports that it runs even when the host is long
   * gone.
   */
  async answers(): Promise<boolean> {
    const late = delay(LIFE_TIMEOUT_MS, undefined, { ref: false });
    return (await Promise.race([this.ask('true'), late]))?.exit === 0;
  }

  /** Returns the local program that opens a session. */
  session(command: string, terminal: boolean): readonly [string, ...string[]] {
    const [file = 'ssh', ...args] = sessionArgv(this.#socket, command, terminal);
    return [file, ...args];
  }

  /** Runs our code on the host; undefined without an answer. Never rejects. */
  async ask(code: string): Promise<Answer | undefined> {
    if (this.#state !== 'open') return undefined;
    const [before, waits] = [this.#helper, this.#starting];
    const known = await before;
    if (known && !known.dead) return known.ask(code);
    // A helper without a timely answer has ended, and this code never ran: try another. But don't wait for a second
    // one that does not start: with a stopped master each takes as long.
    if (this.#state !== 'open' || (waits && !known)) return undefined;
    if (this.#helper === before) this.#helper = this.#startHelper();
    return (await this.#helper)?.ask(code);
  }

  /** Adds code that each new helper runs first. */
  eachHelper(code: string): void {
    this.#first = code;
  }

  /** Like `ask` for long work, in a session of its own that delays no question. Never rejects. */
  async work(code: string): Promise<Answer | undefined> {
    if (this.#state !== 'open') return undefined;
    const give = await this.slots.take();
    const helper = await Helper.start(this.#options.companion(this.session('exec /bin/sh', false)), MAX_WORK_BYTES);
    const answer = await helper?.ask(code, WORK_TIMEOUT_MS);
    helper?.end();
    give();
    return answer;
  }

  /** Ends the connection and removes what it left on the host, if that still answers. */
  async close(): Promise<void> {
    if (this.#state === 'open' && this.#facts) {
      const answer = await this.ask(`rm -rf ${shellQuote(this.#facts.folder)}`);
      if (answer?.exit === 0) this.#forget();
    }
    this.#facts = undefined;
    await this.drop();
  }

  /**
   * Ends it like a lost connection: files on the host stay, including the records of commands whose end was not seen.
   */
  async drop(): Promise<void> {
    this.#state = 'closed';
    this.#over.abort();
    await this.#helper;
    this.#helper = undefined;
    const master = this.#master;
    this.#master = undefined;
    if (master) await this.#control('exit');
    master?.hangUp();
    await master?.result;
  }

  async #becomesReady(master: RunningCommand): Promise<string | undefined> {
    let over = false;
    void master.result.then(() => {
      over = true;
    });
    while (!over && this.#master === master) {
      // The master creates the socket when it is ready. Asking it earlier would cost a program per check.
      if (existsSync(this.#socket) && (await this.#control('check'))) return this.#setUp();
      await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
    }
    return `no connection to ${this.host}`;
  }

  async #setUp(): Promise<string | undefined> {
    this.#state = 'open';
    const before = this.#facts?.folder;
    const kept = before === undefined ? '' : `b=${shellQuote(before)}; [ -O "$b" ] || `;
    const answer = await this.ask(`${kept}{ ${SETUP}\n}\n${LAY_START} || exit 1\n${FACTS}`);
    const facts = answer?.exit === 0 ? readFacts(answer.text) : undefined;
    if (facts) {
      this.#facts = facts;
      if (facts.folder !== before) {
        // The host no longer has the previous directory.
        this.#forget();
        this.#forget = this.#options.lies?.(facts.folder) ?? (() => {});
      }
      return undefined;
    }
    await this.close();
    return `there is no usable shell on ${this.host}; plain ssh may work: ssh ${this.host}`;
  }

  async #startHelper(): Promise<Helper | undefined> {
    this.#starting = true;
    const { signal } = this.#over;
    const give = await this.slots.take();
    const launch = this.#options.companion(this.session('exec /bin/sh', false));
    const helper = await Helper.start(launch, undefined, signal);
    this.#starting = false;
    if (this.#first !== '') void helper?.ask(this.#first);
    void (helper?.ended ?? Promise.resolve()).then(give);
    return helper;
  }

  #ended(): void {
    const wasOpen = this.#state === 'open';
    this.#state = wasOpen ? 'lost' : 'closed';
    this.#master = undefined;
    this.#over.abort();
    this.#helper = undefined;
    if (wasOpen) this.#options.onLost();
  }

  #control(word: 'check' | 'exit'): Promise<boolean> {
    const [file = 'ssh', ...args] = controlArgv(this.#socket, word);
    return new Promise((resolve) => {
      execFile(file, args, { timeout: CHECK_TIMEOUT_MS, killSignal: 'SIGKILL' }, (error) => resolve(error === null));
    });
  }
}

/** A host may send anything: accept only well-formed facts. */
export function readFacts(text: string): HostFacts | undefined {
  const [folder = '', home = '', shell = '', uid = '', zdotdir = '', bash = ''] = text.split('\0');
  const at = parsePath(home);
  if (!/^\/[\w./@+-]{1,500}$/.test(folder) || at === undefined) return undefined;
  return {
    folder,
    home: at,
    shell: parsePath(shell) ?? '/bin/sh',
    root: uid === '0',
    zdotdir: parsePath(zdotdir),
    bash: parsePath(bash),
  };
}

// Connections that another ssh process opened for us and would keep open.

/** Milliseconds for a control command to a master, which may be stopped. */
const EXIT_TIMEOUT_MS = 2000;

/** Ends the masters with sockets in a folder of ours, if they answer. Never rejects. */
export async function endMasters(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sockets = entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
  await Promise.all(sockets.map((socket) => endMaster(socket, env)));
}

function endMaster(socket: string, env: Readonly<Record<string, string>>): Promise<void> {
  const [file = 'ssh', ...words] = controlArgv(socket, 'exit');
  return new Promise((resolve) => {
    execFile(file, words, { env, timeout: EXIT_TIMEOUT_MS, killSignal: 'SIGKILL' }, () => resolve());
  });
}

/**
 * The most sessions of a connection: a server allows ten (sshd's MaxSessions), of which one is the user's shell.
 * Further requests wait in a queue.
 */
const MAX_SESSIONS = 9;

export class Slots {
  #free = MAX_SESSIONS;
  readonly #waiting: (() => void)[] = [];
  /** Asks the owner of a spare slot to return it when no other is free. */
  #spare: (() => void) | undefined;

  /** Resolves when a session may be opened; the returned function releases the slot. Idempotent. */
  async take(): Promise<() => void> {
    if (this.#free > 0) return this.#given();
    const waits = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#spare?.();
    await waits;
    return this.#givesBack();
  }

  /**
   * Returns a free slot for a session that may not be needed.
   * @param wanted called when somebody waits for it
   */
  spare(wanted: () => void): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#spare = wanted;
    return this.#given();
  }

  #given(): () => void {
    this.#free -= 1;
    return this.#givesBack();
  }

  #givesBack(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}

// The ssh command lines. Only the master reads the user's configuration; all others use its socket.

/** The master's own sign of life: an unreachable host is noticed within ten seconds. */
const ALIVE = ['-o', 'ServerAliveInterval=3', '-o', 'ServerAliveCountMax=2'];

/** Names valid for ssh: no option, path or port. */
const NAME = /^[A-Za-z0-9_][\w.@%+-]{0,250}$/;

/** Whether this may name a host. */
export function isHostName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Returns the command of the master, the only connection to a host. It runs in the foreground of a terminal, asks its
 * questions in that terminal, and ends with it.
 */
function masterArgv(socket: string, host: string): readonly string[] {
  const own = ['ControlPersist=no', 'RemoteCommand=none', 'RequestTTY=no'].flatMap((option) => ['-o', option]);
  return ['ssh', '-S', socket, '-M', '-N', ...own, ...ALIVE, '--', host];
}

/**
 * Without the configuration only the socket decides the host. If the socket fails or allows no more sessions, ssh
 * must not connect by itself.
 */
const OVER = ['-F', 'none', '-o', 'ProxyCommand=false', '-o', 'ControlMaster=no'];

/**
 * Returns the command of a session.
 * @param command passes through the login shell there: plain words only
 */
export function sessionArgv(socket: string, command: string, terminal: boolean): readonly string[] {
  return [
    'ssh',
    ...OVER,
    '-S',
    socket,
    ...(terminal ? ['-tt', '-e', 'none', '-o', 'LogLevel=QUIET'] : ['-T']),
    '--',
    'x',
    command,
  ];
}

/** Returns a control command to the master itself. */
function controlArgv(socket: string, word: 'check' | 'exit'): readonly string[] {
  return ['ssh', ...OVER, '-S', socket, '-O', word, 'x'];
}
