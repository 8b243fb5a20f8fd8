/**
 * Who may connect where (MO-10). A connection waits until the user has answered; a grant is a host and a port, and ends
 * with the command, the job, the run or the session that it was given for.
 */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Connecting, GaveUp, NetworkAnswer } from '../contracts/commands.ts';

/** Connections that come together are asked about together. Ms. */
const TOGETHER_MS = 50;
const MAX_GRANTS = 500;
const WEB_PORTS = [443, 80];

export type Target = { readonly host: string; readonly port: number };

/** Who connects. */
export type Client = {
  /** The program's name, for the question. */
  readonly program: string;
  /** The process in which its command began. */
  readonly command?: number | undefined;
  /** The background job that it is part of: what is allowed to it ends with the job. */
  readonly job?: number | undefined;
};

export type GrantOptions = {
  /** Asks the user. `run`: an answer for longer holds until this run ends. `gone`: nobody waits for the answer. */
  readonly ask: (
    client: Client & { readonly run?: string | undefined },
    items: readonly string[],
    gone: AbortSignal,
  ) => Promise<NetworkAnswer | undefined>;
  /** The client that connects from this port. */
  readonly clientAt: (port: number) => Client;
  /** Whether the client has not closed that connection. */
  readonly isOpen: (port: number) => boolean;
  /** The run under way. */
  readonly run: () => string | undefined;
};

/** `job`, `run`: what a grant ends with, where that is before the session. */
type Grant = { readonly allowed: boolean; readonly job?: number | undefined; readonly run?: string | undefined };
type Batch = {
  readonly client: Client;
  readonly targets: Target[];
  readonly answer: Promise<NetworkAnswer | undefined>;
  /** What stood in the question, by name. */
  readonly listed: Set<string>;
};

/** A command that runs. */
type Running = {
  /** What the user has allowed to this command. */
  readonly allowed: Set<string>;
  /** What it has asked for and has not got, with its client. */
  readonly missed: Map<string, { readonly target: Target; readonly client: Client }>;
  readonly gone: AbortController;
  /** Questions that are open, since when, and how long others were. Ms. */
  open: number;
  since: number;
  askedMs: number;
};

/** `host:port` as the user and a CONNECT line write it; addresses in one spelling. Undefined: none. */
export function targetOf(text: string, port?: number): Target | undefined {
  if (!/^[\w.:[\]-]+$/.test(text)) return undefined;
  const url = URL.parse(`http://${text}`);
  if (!url || url.pathname !== '/' || url.username !== '' || url.hostname === '') return undefined;
  // The URL leaves the port of its scheme out.
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
// Of a cloud that keeps its keys elsewhere.
LINK.addAddress('100.100.100.200');
const MACHINE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
] as const)
  MACHINE.addSubnet(net, bits);
// With the old way to write an IPv4 address.
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

/** The IPv4 address that a translating one (NAT64, 6to4) leads to. */
function translated(address: string): string | undefined {
  if (isIP(address) !== 6 || address.includes('%')) return undefined;
  const { hostname } = new URL(`http://[${address}]`);
  const [, high, low] = /^\[(?:64:ff9b::|2002:)(?:([\da-f]{1,4}):)?([\da-f]{1,4})(?::|\])/.exec(hostname) ?? [];
  if (low === undefined) return undefined;
  return [high ?? '0', low]
    .flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255])
    .join('.');
}

/** Names an address to which no name of the internet may lead; undefined for an ordinary address. */
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

/** As it stands in the question: a bare address is named for what it is. */
function described(target: Target): string {
  if (isIP(target.host) === 0) return nameOf(target);
  const isPrivate = PRIVATE.check(target.host, isIP(target.host) === 6 ? 'ipv6' : 'ipv4');
  return `${nameOf(target)} (${special(target.host) ?? (isPrivate ? 'in a private network' : 'an address without a name')})`;
}

/** The user's answer for each host and port. */
export class NetworkGrants {
  readonly #options: GrantOptions;
  readonly #said = new Map<string, Grant>();
  readonly #commands = new Map<number, Running>();
  /** What the next command that connects there is allowed: one that runs again after a yes. */
  readonly #next = new Set<string>();
  readonly #waiting = new Map<string, Promise<boolean>>();
  #batch: Batch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GrantOptions) {
    this.#options = options;
  }

  /** A host with or without a port, as the user writes it; what was set, undefined where it is none. */
  setNamed(text: string, allowed: boolean | undefined, run?: string): string | undefined {
    const known = targetOf(text);
    const targets = known ? [known] : WEB_PORTS.flatMap((port) => targetOf(text, port) ?? []);
    for (const target of targets) this.#set(target, allowed === undefined ? undefined : { allowed, run });
    return targets.map(nameOf).join(', ') || undefined;
  }

  /** `host:port`, whether it is allowed, and what ends that where it is not the session. */
  list(): readonly (readonly [string, boolean, string?])[] {
    return [...this.#said.keys()].flatMap((name) => {
      const said = this.#saidOf(name);
      const until = said?.job === undefined ? said?.run && 'this run' : `job ${said.job}`;
      return said
        ? [until === undefined ? ([name, said.allowed] as const) : ([name, said.allowed, until] as const)]
        : [];
    });
  }

  /** Undefined: asked about again. */
  #set(target: Target, grant: Grant | undefined): void {
    if (grant === undefined) this.#said.delete(nameOf(target));
    else if (this.#said.size < MAX_GRANTS) this.#said.set(nameOf(target), grant);
  }

  /** The answer for a name, unless the run that it was given in is over. */
  #saidOf(name: string): Grant | undefined {
    const said = this.#said.get(name);
    if (said?.run === undefined || said.run === this.#options.run()) return said;
    this.#said.delete(name);
    return undefined;
  }

  jobEnded(job: number): void {
    for (const [name, grant] of this.#said) if (grant.job === job) this.#said.delete(name);
  }

  /** Whether a command that runs began in this process. */
  knows(process: number): boolean {
    return this.#commands.has(process);
  }

  /** A command has begun in this process; `gaveUp` is to be called at its end. */
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

  /** What a command that has ended had asked for and never got. Its questions are withdrawn. */
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
    // Who it is costs a look at every process.
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
    // A client that has gone away meanwhile is not connected, and its command may run again.
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
    // Another question was about it, and its answer holds.
    if (said === undefined || !batch.listed.has(nameOf(target))) return this.#saidOf(nameOf(target))?.allowed === true;
    if (said !== 'once') this.#set(target, { allowed: said === 'always', job: client.job, run });
    else if (client.job === undefined) this.#commands.get(client.command ?? 0)?.allowed.add(nameOf(target));
    return said !== 'no';
  }

  /** One question at a time; it closes its list when it is put. */
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
