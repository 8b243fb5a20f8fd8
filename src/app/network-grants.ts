/**
 * Decides which program may connect where (MO-10). A connection waits until the user has answered. A grant covers one
 * host and port, and ends with its command, job, run or session.
 */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Connecting, GaveUp, NetworkAnswer } from '../contracts/commands.ts';

/** Connections within this many milliseconds share one question. */
const TOGETHER_MS = 50;
const MAX_GRANTS = 500;
const WEB_PORTS = [443, 80];

export type Target = { readonly host: string; readonly port: number };

/** The program that wants to connect. */
export type Client = {
  /** The program's name, for the question. */
  readonly program: string;
  /** The first process of its command. */
  readonly command?: number | undefined;
  /** The background job it belongs to; its grants end with the job. */
  readonly job?: number | undefined;
};

export type GrantOptions = {
  /** Asks the user. `run`: a lasting answer ends with this run. `gone` aborts once no client waits for the answer. */
  readonly ask: (
    client: Client & { readonly run?: string | undefined },
    items: readonly string[],
    gone: AbortSignal,
  ) => Promise<NetworkAnswer | undefined>;
  /** Returns the client whose connection has this source port. */
  readonly clientAt: (port: number) => Client;
  /** Whether the client still has that connection open. */
  readonly isOpen: (port: number) => boolean;
  /** The id of the current Norris run. */
  readonly run: () => string | undefined;
};

/** `job`, `run`: the grant ends with this job or run, before the session ends. */
type Grant = { readonly allowed: boolean; readonly job?: number | undefined; readonly run?: string | undefined };
type Batch = {
  readonly client: Client;
  readonly targets: Target[];
  readonly answer: Promise<NetworkAnswer | undefined>;
  /** The names of the targets listed in the question. */
  readonly listed: Set<string>;
};

/** A running command with a proxy. */
type Running = {
  /** Targets that the user has allowed for this command. */
  readonly allowed: Set<string>;
  /** Targets that it wanted and could not reach, with their clients. */
  readonly missed: Map<string, { readonly target: Target; readonly client: Client }>;
  readonly gone: AbortController;
  /** How many of its questions are open, since when, and how long earlier ones were open. In ms. */
  open: number;
  since: number;
  askedMs: number;
};

/** Parses `host:port` from a user or a CONNECT line and normalizes addresses. Undefined if invalid. */
export function targetOf(text: string, port?: number): Target | undefined {
  if (!/^[\w.:[\]-]+$/.test(text)) return undefined;
  const url = URL.parse(`http://${text}`);
  if (!url || url.pathname !== '/' || url.username !== '' || url.hostname === '') return undefined;
  // A URL omits the default port of its scheme.
  const given = /:(\d{1,5})$/.exec(text)?.[1];
  const own = given === undefined || /^\[[^\]]*\]$/.test(text) ? port : Number(given);
  if (own === undefined || own < 1 || own > 65_535) return undefined;
  return { host: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), port: own };
}

export const nameOf = ({ host, port }: Target) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

const LINK = new BlockList();
LINK.addSubnet('169.254.0.0', 16);
LINK.addSubnet('fe80::', 10, 'ipv6');
LINK.addAddress('fd00:ec2::254', 'ipv6');
// The metadata address of Alibaba Cloud, which is not link-local.
LINK.addAddress('100.100.100.200');
const MACHINE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
] as const)
  MACHINE.addSubnet(net, bits);
// IPv4-compatible IPv6 addresses, the deprecated form.
MACHINE.addSubnet('::', 96, 'ipv6');
const MANY = new BlockList();
MANY.addSubnet('224.0.0.0', 3);
MANY.addSubnet('ff00::', 8, 'ipv6');
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(net, bits);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Returns the IPv4 address inside a NAT64 or 6to4 address. */
function translated(address: string): string | undefined {
  if (isIP(address) !== 6 || address.includes('%')) return undefined;
  const { hostname } = new URL(`http://[${address}]`);
  const [, high, low] = /^\[(?:64:ff9b::|2002:)(?:([\da-f]{1,4}):)?([\da-f]{1,4})(?::|\])/.exec(hostname) ?? [];
  if (low === undefined) return undefined;
  return [high ?? '0', low]
    .flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255])
    .join('.');
}

/** Describes an address that no public host name may resolve to; undefined for ordinary addresses. */
export function special(address: string): string | undefined {
  const behind = translated(address);
  if (behind !== undefined) return special(behind);
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (LINK.check(address, family)) return 'link-local, where clouds give out keys';
  if (MANY.check(address, family)) return 'many machines at once';
  const own = new BlockList();
  for (const each of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    own.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  return MACHINE.check(address, family) || own.check(address, family) ? 'this machine' : undefined;
}

/** The target as the question shows it; a special address gets its description. */
function described(target: Target): string {
  if (isIP(target.host) === 0) return nameOf(target);
  const isPrivate = PRIVATE.check(target.host, isIP(target.host) === 6 ? 'ipv6' : 'ipv4');
  return `${nameOf(target)} (${special(target.host) ?? (isPrivate ? 'in a private network' : 'an address without a name')})`;
}

/** Keeps the user's answer for each host and port. */
export class NetworkGrants {
  readonly #options: GrantOptions;
  readonly #said = new Map<string, Grant>();
  readonly #commands = new Map<number, Running>();
  /** Targets allowed to the next command that connects there: the user let a failed command run again. */
  readonly #next = new Set<string>();
  readonly #waiting = new Map<string, Promise<boolean>>();
  #batch: Batch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GrantOptions) {
    this.#options = options;
  }

  /** Sets the answer for a host, with or without a port. Returns the name that was set; undefined if invalid. */
  setNamed(text: string, allowed: boolean | undefined, run?: string): string | undefined {
    const known = targetOf(text);
    const targets = known ? [known] : WEB_PORTS.flatMap((port) => targetOf(text, port) ?? []);
    for (const target of targets) this.#set(target, allowed === undefined ? undefined : { allowed, run });
    return targets.map(nameOf).join(', ') || undefined;
  }

  /** Returns each `host:port`, whether it is allowed, and the job or run that ends the answer. */
  list(): readonly (readonly [string, boolean, string?])[] {
    return [...this.#said.keys()].flatMap((name) => {
      const said = this.#saidOf(name);
      const until = said?.job === undefined ? said?.run && 'this run' : `job ${said.job}`;
      return said
        ? [until === undefined ? ([name, said.allowed] as const) : ([name, said.allowed, until] as const)]
        : [];
    });
  }

  /** Undefined removes the answer, so that the next connection asks. */
  #set(target: Target, grant: Grant | undefined): void {
    if (grant === undefined) this.#said.delete(nameOf(target));
    else if (this.#said.size < MAX_GRANTS) this.#said.set(nameOf(target), grant);
  }

  /** Returns the answer for a name, unless the answer's run has ended. */
  #saidOf(name: string): Grant | undefined {
    const said = this.#said.get(name);
    if (said?.run === undefined || said.run === this.#options.run()) return said;
    this.#said.delete(name);
    return undefined;
  }

  jobEnded(job: number): void {
    for (const [name, grant] of this.#said) if (grant.job === job) this.#said.delete(name);
  }

  /** Whether this process is the first one of a running command. */
  knows(process: number): boolean {
    return this.#commands.has(process);
  }

  /** Registers a command by its first process. Call `gaveUp` when it ends. */
  began(command: number): Connecting {
    const running: Running = {
      ...{ allowed: new Set(), missed: new Map(), gone: new AbortController(), open: 0, since: 0, askedMs: 0 },
    };
    this.#commands.set(command, running);
    let over: { readonly gaveUp: GaveUp | undefined } | undefined;
    return {
      askedMs: () => running.askedMs + (running.open > 0 ? performance.now() - running.since : 0),
      gaveUp: () => {
        over ??= this.#ended(command, running);
        return over.gaveUp;
      },
    };
  }

  /** Returns the targets that an ended command could not reach, and withdraws its questions. */
  #ended(command: number, { missed, allowed, gone }: Running): { readonly gaveUp: GaveUp | undefined } {
    this.#commands.delete(command);
    this.#next.clear();
    gone.abort();
    const all = [...missed.values()];
    const [first] = all;
    if (!first) return { gaveUp: undefined };
    const run = this.#options.run();
    const isAllowed = ({ target }: { readonly target: Target }) =>
      allowed.has(nameOf(target)) || this.#saidOf(nameOf(target))?.allowed === true;
    const settle = (said: NetworkAnswer) => {
      for (const { target } of all)
        if (said === 'once') this.#next.add(nameOf(target));
        else this.#set(target, { allowed: said === 'always', run });
    };
    const items = all.map(({ target }) => described(target));
    return { gaveUp: { program: first.client.program, items, run, isAllowed: all.every(isAllowed), settle } };
  }

  async allows(target: Target, port: number): Promise<boolean> {
    const name = nameOf(target);
    const said = this.#saidOf(name);
    // Finding the client reads every process, so check first whether it matters.
    const isMissed = [...this.#commands.values()].some(({ missed }) => missed.has(name));
    if (said !== undefined && !isMissed) return said.allowed;
    const client = this.#options.clientAt(port);
    const running = this.#commands.get(client.command ?? 0);
    if (running && this.#next.delete(name)) running.allowed.add(name);
    if (said !== undefined || running?.allowed.has(name)) {
      running?.missed.delete(name);
      return said?.allowed ?? true;
    }
    const key = `${client.command} ${client.job} ${name}`;
    const asked = this.#waiting.get(key) ?? this.#ask(target, client).finally(() => this.#waiting.delete(key));
    this.#waiting.set(key, asked);
    running?.missed.set(name, { target, client });
    const allowed = await asked;
    // If the client has disconnected during the question, its command must run again to connect.
    const isOpen = this.#options.isOpen(port);
    if (!allowed || isOpen) running?.missed.delete(name);
    return allowed && isOpen;
  }

  async #ask(target: Target, client: Client): Promise<boolean> {
    const { command, job, program } = this.#batch?.client ?? {};
    const fits = program === client.program && command === client.command && job === client.job;
    const batch = fits && this.#batch ? this.#batch : this.#open(client);
    batch.targets.push(target);
    const run = client.job === undefined ? this.#options.run() : undefined;
    const said = await batch.answer;
    // An earlier question has answered this one.
    if (said === undefined || !batch.listed.has(nameOf(target))) return this.#saidOf(nameOf(target))?.allowed === true;
    if (said !== 'once') this.#set(target, { allowed: said === 'always', job: client.job, run });
    else if (client.job === undefined) this.#commands.get(client.command ?? 0)?.allowed.add(nameOf(target));
    return said !== 'no';
  }

  /** Only one question is open at a time; no target can join it once the user sees it. */
  #open(client: Client): Batch {
    const targets: Target[] = [];
    const listed = new Set<string>();
    const running = this.#commands.get(client.command ?? 0);
    const gone = running?.gone.signal ?? new AbortController().signal;
    const run = client.job === undefined ? this.#options.run() : undefined;
    if (running && running.open++ === 0) running.since = performance.now();
    const together = new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    const answer = Promise.all([this.#last, together]).then(() => {
      if (this.#batch?.targets === targets) this.#batch = undefined;
      const open = targets.filter((target) => this.#saidOf(nameOf(target)) === undefined);
      if (gone.aborted || open.length === 0) return undefined;
      for (const target of open) listed.add(nameOf(target));
      return this.#options.ask({ ...client, run }, open.map(described), gone);
    });
    this.#last = answer
      .catch(() => {})
      .then(() => {
        if (running && --running.open === 0) running.askedMs += performance.now() - running.since;
      });
    this.#batch = { client, targets, listed, answer };
    return this.#batch;
  }
}
