/** The connection to one host: a master in a terminal of its own, and everything else over its socket. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningCommand } from '../../contracts/commands.ts';
import { shellQuote } from '../../text/shell.ts';
import { LAY_START } from './commands.ts';
import { pathTold } from './facts.ts';
import { type Answer, Helper, type Launch } from './helper.ts';

/** For a word to the master, which may be stopped. Ms. */
const CHECK_TIMEOUT_MS = 2000;
/** For a sign of life, whatever else is waited for: a helper that may be on its way has more. Ms. */
const LIFE_TIMEOUT_MS = 5000;
/** For work on what is kept there. Ms; and what it may answer. */
const WORK_TIMEOUT_MS = 600_000;
const MAX_WORK_BYTES = 32_000_000;
/** Between two looks whether the master is ready. Ms. */
const READY_POLL_MS = 20;

export type ConnectionOptions = {
  readonly host: string;
  /** Private, and short: a socket's path may have about 100 characters. */
  readonly folder: string;
  /** Starts a program in a terminal of its own. */
  readonly inTerminal: (argv: readonly [string, ...string[]]) => RunningCommand;
  /** How a child that lives beside the program is to be started. */
  readonly companion: (argv: readonly string[]) => Launch;
  /** Notes that a directory of ours lies there; the result forgets it. */
  readonly lies?: (directory: string) => () => void;
  /** It has ended though nobody wanted it to. */
  readonly onLost: () => void;
};

/** What the host told when it was connected to. */
export type HostFacts = {
  /** A private directory there, for this connection and those that follow it. */
  readonly folder: string;
  readonly home: string;
  /** Path of the user's login shell. */
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
  /** Fires when this connection is over: a helper on its way may take long not to come. */
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

  /** Path of the master's socket: each connection has its own. */
  get socket(): string {
    return this.#socket;
  }

  get facts(): HostFacts | undefined {
    return this.#facts;
  }

  /** Starts the master. What it asks is answered in what this returns; `ready` tells what came of it. */
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

  /** Whether the host answers, within some seconds: a master says that it runs while the host is long gone. */
  async answers(): Promise<boolean> {
    const late = delay(LIFE_TIMEOUT_MS, undefined, { ref: false });
    return (await Promise.race([this.ask('true'), late]))?.exit === 0;
  }

  /** A session: the program of this machine that opens it. */
  session(command: string, terminal: boolean): readonly [string, ...string[]] {
    const [file = 'ssh', ...args] = sessionArgv(this.#socket, command, terminal);
    return [file, ...args];
  }

  /** Runs code of ours there; undefined where there is no answer. Never rejects. */
  async ask(code: string): Promise<Answer | undefined> {
    if (this.#state !== 'open') return undefined;
    const [before, waits] = [this.#helper, this.#starting];
    const known = await before;
    if (known && !known.dead) return known.ask(code);
    // One that gave no answer in time has ended: this was never put to it. But what has waited for one that does not
    // come waits for no other: behind a master that is stopped each takes as long.
    if (this.#state !== 'open' || (waits && !known)) return undefined;
    if (this.#helper === before) this.#helper = this.#startHelper();
    return (await this.#helper)?.ask(code);
  }

  /** Code of ours that each helper runs before anything else, from the next one on. */
  eachHelper(code: string): void {
    this.#first = code;
  }

  /** As `ask`, for work that takes its time, in a session of its own: no question waits for it. Never rejects. */
  async work(code: string): Promise<Answer | undefined> {
    if (this.#state !== 'open') return undefined;
    const give = await this.slots.take();
    const helper = await Helper.start(this.#options.companion(this.session('exec /bin/sh', false)), MAX_WORK_BYTES);
    const answer = await helper?.ask(code, WORK_TIMEOUT_MS);
    helper?.end();
    give();
    return answer;
  }

  /** Ends it; what it left there goes with it, where it still answers. */
  async close(): Promise<void> {
    if (this.#state === 'open' && this.#facts) {
      const answer = await this.ask(`rm -rf ${shellQuote(this.#facts.folder)}`);
      if (answer?.exit === 0) this.#forget();
    }
    this.#facts = undefined;
    await this.drop();
  }

  /** Ends it as if it had been lost: what lies there stays, with the records of commands whose end was not seen. */
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
      // The master makes it when it is there for others: to ask it before takes a program for each look.
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
        // The one before is not there any more.
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

/** A host says what it likes: only what has the form of a fact is one. */
export function readFacts(text: string): HostFacts | undefined {
  const [folder = '', home = '', shell = '', uid = '', zdotdir = '', bash = ''] = text.split('\0');
  const at = pathTold(home);
  if (!/^\/[\w./@+-]{1,500}$/.test(folder) || at === undefined) return undefined;
  return {
    folder,
    home: at,
    shell: pathTold(shell) ?? '/bin/sh',
    root: uid === '0',
    zdotdir: pathTold(zdotdir),
    bash: pathTold(bash),
  };
}

// Connections that another ssh process opened for us and would keep open.

/** For a word to a master, which may be stopped. Ms. */
const EXIT_TIMEOUT_MS = 2000;

/** Ends the masters whose sockets lie in a folder of ours, as far as they answer. Never rejects. */
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
 * A server takes ten sessions of one connection (sshd's MaxSessions): one is the user's shell, what is more waits here.
 */
const MAX_SESSIONS = 9;

export class Slots {
  #free = MAX_SESSIONS;
  readonly #waiting: (() => void)[] = [];
  /** Asked to give its slot back where nobody else's is free. */
  #spare: (() => void) | undefined;

  /** Resolves when a session may be opened; the result gives it back. Idempotent. */
  async take(): Promise<() => void> {
    if (this.#free > 0) return this.#given();
    const waits = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#spare?.();
    await waits;
    return this.#givesBack();
  }

  /**
   * A slot for a session that may not be needed, where one is free.
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

// The ssh command lines. Only the master reads the user's configuration; every other call uses its socket.

/** Time limits of the master's own sign of life: a host that is gone is noticed within ten seconds. */
const ALIVE = ['-o', 'ServerAliveInterval=3', '-o', 'ServerAliveCountMax=2'];

/** Names that ssh knows: no option, no path, no port. */
const NAME = /^[A-Za-z0-9_][\w.@%+-]{0,250}$/;

/** Whether this may name a host. */
export function isHostName(name: string): boolean {
  return NAME.test(name);
}

/**
 * The one connection to a host, in the foreground of a terminal where it asks its questions, and with which it ends.
 */
function masterArgv(socket: string, host: string): readonly string[] {
  const own = ['ControlPersist=no', 'RemoteCommand=none', 'RequestTTY=no'].flatMap((option) => ['-o', option]);
  return ['ssh', '-S', socket, '-M', '-N', ...own, ...ALIVE, '--', host];
}

/**
 * Without the configuration the socket alone decides the host; and where it leads nowhere, or takes no further session,
 * ssh must not connect by itself.
 */
const OVER = ['-F', 'none', '-o', 'ProxyCommand=false', '-o', 'ControlMaster=no'];

/** A session of that connection. @param command passes the login shell there: plain words only */
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

/** A word to the master itself. */
function controlArgv(socket: string, word: 'check' | 'exit'): readonly string[] {
  return ['ssh', ...OVER, '-S', socket, '-O', word, 'x'];
}
