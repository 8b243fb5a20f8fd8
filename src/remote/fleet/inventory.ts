/**
 * Reads hosts and groups from an Ansible inventory or ssh's configuration. Inventories contain secrets, so only three
 * variables are read.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readBounded } from '../../text/files.ts';
import { isJsonObject, parseBoundedJson } from '../../text/json.ts';
import { matchesGlob } from '../../text/matching.ts';
import { type Address, isHostName, type Known, MAX_HOSTS } from './names.ts';

/** The maximum bytes of an inventory, as text and as Ansible's output. */
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

const run = promisify(execFile);

/**
 * Reads an inventory with Ansible if it is installed; else as plain INI or YAML, running nothing and expanding only
 * ranges. Undefined if neither works.
 * @param named a path, relative to the working directory
 */
export async function inventoryHosts(named: string, env: NodeJS.ProcessEnv = process.env): Promise<Known | undefined> {
  const path = resolve(named);
  const what = await stat(path).catch(() => undefined);
  if (!what?.isFile() && !what?.isDirectory()) return undefined;
  const inventory = (await askAnsible(path, env)) ?? (await readFromFile(path));
  return inventory && resolveGroups(inventory);
}

async function askAnsible(path: string, env: NodeJS.ProcessEnv): Promise<Inventory | undefined> {
  try {
    // Ansible does not run in the working directory, because a repository’s ansible.cfg names programs to run.
    // Executable inventories and plugins do the same, so only plain lists of hosts are read.
    const { stdout } = await run('ansible-inventory', ['-i', path, '--list'], {
      cwd: '/',
      env: { ...env, ANSIBLE_INVENTORY_ENABLED: 'ini,yaml' },
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
    });
    return readList(stdout);
  } catch {
    return undefined;
  }
}

async function readFromFile(path: string): Promise<Inventory | undefined> {
  const text = await readBounded(path, MAX_BYTES);
  if (text === undefined) return undefined;
  return /\.ya?ml$/.test(path) ? readYaml(text) : readIni(text);
}

/** Parses the output of `ansible-inventory --list`. */
export function readList(json: string): Inventory {
  const inventory = emptyInventory();
  const listed = parseBoundedJson(json);
  if (!isJsonObject(listed)) return inventory;
  const meta = isJsonObject(listed._meta) ? listed._meta.hostvars : {};
  const variables = isJsonObject(meta) ? meta : {};
  for (const [group, value] of Object.entries(listed)) {
    if (group === '_meta' || !isJsonObject(value)) continue;
    const { hosts, children } = value;
    for (const name of Array.isArray(hosts) ? hosts : []) {
      if (typeof name !== 'string') continue;
      const own = variables[name];
      addHost(inventory, group, name, isJsonObject(own) ? addressOf(own) : {});
    }
    for (const child of Array.isArray(children) ? children : []) {
      if (typeof child === 'string') addChild(inventory, group, child);
    }
  }
  return inventory;
}

// Parses an inventory without Ansible: names, groups, and addresses.

/** Expands `web[01:20].example.org` to twenty names; text without a range stays as it is. */
export function expandRange(text: string): readonly string[] {
  const [, before = '', from = '', to = '', step = '1', after = ''] =
    /^(.*?)\[(\d+|[A-Za-z]):(\d+|[A-Za-z])(?::(\d+))?\](.*)$/.exec(text) ?? [];
  if (from === '') return [text];
  const letters = /[A-Za-z]/.test(from);
  if (letters !== /[A-Za-z]/.test(to)) return [];
  const [first, last] = letters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  const width = from.startsWith('0') ? from.length : 0;
  const names: string[] = [];
  const stride = Math.max(1, Number(step));
  for (let at = first; at <= last && names.length < MAX_HOSTS; at += stride) {
    const word = letters ? String.fromCharCode(at) : String(at).padStart(width, '0');
    names.push(...expandRange(`${before}${word}${after}`).slice(0, MAX_HOSTS - names.length));
  }
  return names;
}

/** Parses `[group]` with its hosts and `[group:children]` with its groups; skips group variables. */
export function readIni(text: string): Inventory {
  const inventory = emptyInventory();
  let group = 'ungrouped';
  let kind = 'hosts';
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const section = /^\[([^\]:]+)(?::(\w+))?\]/.exec(line);
    if (section) {
      group = section[1] ?? '';
      kind = section[2] ?? 'hosts';
      continue;
    }
    const [name = '', ...rest] = line.split(/\s+/);
    if (kind === 'children') addChild(inventory, group, name);
    if (kind !== 'hosts') continue;
    const pairs = rest.flatMap((word) => {
      const [, key, value] =
        /^(ansible_host|ansible_port|ansible_user)=(["']?)(.*)\2$/.exec(word)?.filter((_, at) => at !== 2) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    });
    for (const each of expandRange(name)) addHost(inventory, group, each, addressOf(Object.fromEntries(pairs)));
  }
  return inventory;
}

type Level = { readonly indent: number; readonly key: string };

/**
 * Parses the YAML that hand-written inventories use: nested keys, one per line. Other syntax (flow style, anchors,
 * multi-line text) is left out, because half of it would be a different list of machines.
 */
export function readYaml(text: string): Inventory {
  const inventory = emptyInventory();
  const path: Level[] = [];
  let block: number | undefined;
  for (const line of text.split('\n')) {
    const [, spaces = '', key = '', rest = ''] =
      /^( *)(?:["']?)([^\s"'#:{}[\]&*!|>%@`,-][^"'{}]*?)(?:["']?):(?:\s+(.*))?$/.exec(line) ?? [];
    const indent = line.length - line.trimStart().length;
    if (block !== undefined && (line.trim() === '' || indent > block)) continue;
    block = undefined;
    if (key === '') continue;
    while ((path.at(-1)?.indent ?? -1) >= spaces.length) path.pop();
    path.push({ indent: spaces.length, key });
    const value = rest.replace(/\s+#.*$/, '').trim();
    if (/^[|>]/.test(value)) block = spaces.length;
    take(
      inventory,
      path.map((level) => level.key),
      value.replace(/^(["'])(.*)\1$/, '$2'),
    );
  }
  return inventory;
}

/** Adds one key with all its parents: `all children web hosts web1 ansible_port`. */
function take(inventory: Inventory, path: readonly string[], value: string): void {
  let at = 0;
  let group = path[0] ?? '';
  while (path[at + 1] === 'children' && path[at + 2] !== undefined) {
    const child = path[at + 2] ?? '';
    addChild(inventory, group, child);
    group = child;
    at += 2;
  }
  const name = path[at + 2];
  if (path[at + 1] !== 'hosts' || name === undefined) return;
  const variable = path[at + 3];
  const known = variable === undefined || path.length > at + 4 ? {} : addressOf({ [variable]: value });
  for (const each of expandRange(name)) addHost(inventory, group, each, known);
}

// Reads the host names in ssh's configuration, and nothing else.

/** The depth of nested Includes, as in ssh. */
const MAX_DEPTH = 16;
const MAX_FILES = 64;
const MAX_FILE_BYTES = 256 * 1024;

/** @param home the user's home directory; reads `~/.ssh/config` and the system's file with their includes */
export async function sshHosts(home: string, system = '/etc/ssh/ssh_config'): Promise<Known> {
  const hosts = new Map<string, Address>();
  const seen = new Set<string>();
  const read = async (path: string, base: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH || seen.size >= MAX_FILES || seen.has(path)) return;
    seen.add(path);
    const text = await readBounded(path, MAX_FILE_BYTES);
    if (text === undefined) return;
    const { names, includes } = readSshConfig(text);
    for (const name of names) if (hosts.size < MAX_HOSTS * 4) hosts.set(name, {});
    for (const pattern of includes) {
      for (const found of await included(pattern, home, base)) await read(found, base, depth + 1);
    }
  };
  await read(join(home, '.ssh/config'), join(home, '.ssh'), 0);
  await read(system, dirname(system), 0);
  return { hosts, groups: new Map() };
}

/** Returns the names in one file, without wildcards and `!`, and the paths of its includes. */
export function readSshConfig(text: string): {
  readonly names: readonly string[];
  readonly includes: readonly string[];
} {
  const names: string[] = [];
  const includes: string[] = [];
  for (const line of text.split('\n')) {
    const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const comment = words.findIndex((word) => word.startsWith('#'));
    const values = comment < 0 ? words : words.slice(0, comment);
    if (keyword.toLowerCase() === 'host')
      names.push(...values.filter((word) => !/[*?!]/.test(word) && isHostName(word)));
    if (keyword.toLowerCase() === 'include') includes.push(...values);
  }
  return { names, includes };
}

async function included(pattern: string, home: string, base: string): Promise<readonly string[]> {
  const plain = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const path = isAbsolute(plain) ? plain : join(base, plain);
  let found: readonly string[] = ['/'];
  for (const part of path.split('/').filter((word) => word !== '')) {
    const below = found.map(async (folder) => {
      if (!/[*?]/.test(part)) return [join(folder, part)];
      const names = await readdir(folder).catch(() => []);
      return names.filter((name) => matchesGlob(name, [part])).map((name) => join(folder, name));
    });
    found = (await Promise.all(below)).flat().slice(0, MAX_FILES);
  }
  return found.filter((each) => existsSync(each)).sort();
}

// Hosts and groups of an inventory, from any format.

const MAX_KNOWN_HOSTS = MAX_HOSTS * 10;

/** The content of an inventory before groups of groups are resolved. */
type Inventory = {
  readonly hosts: Map<string, Address>;
  readonly members: Map<string, Set<string>>;
  readonly children: Map<string, Set<string>>;
  /** For each incomplete group a name that was left out. */
  readonly left: Map<string, string>;
};

function emptyInventory(): Inventory {
  return { hosts: new Map(), members: new Map(), children: new Map(), left: new Map() };
}

/**
 * Adds a host to a group. Invalid names are left out, and so are hosts beyond the limit; the group then counts as
 * incomplete.
 */
function addHost(inventory: Inventory, group: string, name: string, address: Address = {}): void {
  const isOneMore = !inventory.hosts.has(name) && inventory.hosts.size >= MAX_KNOWN_HOSTS;
  if (!isHostName(name) || isOneMore) {
    inventory.left.set(group, name);
    return;
  }
  inventory.hosts.set(name, { ...inventory.hosts.get(name), ...address });
  setOf(inventory.members, group).add(name);
}

function addChild(inventory: Inventory, group: string, child: string): void {
  setOf(inventory.children, group).add(child);
}

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}

/** Returns a host's three address variables, each only if well-formed. */
function addressOf(variables: Readonly<Record<string, unknown>>): Address {
  const { ansible_host: host, ansible_port: port, ansible_user: user } = variables;
  const number = Number(port);
  return {
    ...(typeof host === 'string' && isHostName(host.replace(/^::/, '0::')) ? { host } : {}),
    ...(Number.isInteger(number) && number > 0 && number < 65_536 ? { port: number } : {}),
    ...(typeof user === 'string' && /^[A-Za-z_][\w.-]*\$?$/.test(user) ? { user } : {}),
  };
}

/** Resolves groups of groups; a group that contains itself adds nothing. */
export function resolveGroups({ hosts, members, children, left }: Inventory): Known {
  const groups = new Map<string, readonly string[]>();
  const partial = new Map<string, string>();
  for (const group of new Set([...members.keys(), ...children.keys(), ...left.keys(), 'all'])) {
    const found = new Set<string>();
    const seen = new Set<string>();
    const queue = [group];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (seen.has(next)) continue;
      seen.add(next);
      for (const host of members.get(next) ?? []) found.add(host);
      const out = left.get(next) ?? (next === 'all' ? [...left.values()][0] : undefined);
      if (out !== undefined) partial.set(group, out);
      queue.push(...(children.get(next) ?? []));
    }
    groups.set(group, group === 'all' ? [...hosts.keys()] : [...found]);
  }
  return { hosts, groups, ...(partial.size > 0 ? { partial } : {}) };
}
