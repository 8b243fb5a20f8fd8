/** Hosts and groups of an inventory, from whatever form it was read. */
import { type Address, isHostName, type Known, MAX_HOSTS } from './names.ts';

const MAX_KNOWN_HOSTS = MAX_HOSTS * 10;

/** What an inventory says before groups of groups are resolved. */
export type Inventory = {
  readonly hosts: Map<string, Address>;
  readonly members: Map<string, Set<string>>;
  readonly children: Map<string, Set<string>>;
  /** Of each group a name that was left out. */
  readonly left: Map<string, string>;
};

export function emptyInventory(): Inventory {
  return { hosts: new Map(), members: new Map(), children: new Map(), left: new Map() };
}

/** Adds a host to a group. What is no name is left out, and so is what comes behind the most that are kept: nobody may take the group for whole then. */
export function addHost(inventory: Inventory, group: string, name: string, address: Address = {}): void {
  const isOneMore = !inventory.hosts.has(name) && inventory.hosts.size >= MAX_KNOWN_HOSTS;
  if (!isHostName(name) || isOneMore) {
    inventory.left.set(group, name);
    return;
  }
  inventory.hosts.set(name, { ...inventory.hosts.get(name), ...address });
  setOf(inventory.members, group).add(name);
}

export function addChild(inventory: Inventory, group: string, child: string): void {
  setOf(inventory.children, group).add(child);
}

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}

/** The three variables by which a machine is reached, from those of a host; each only in the form that it can have. */
export function addressOf(variables: Readonly<Record<string, unknown>>): Address {
  const { ansible_host: host, ansible_port: port, ansible_user: user } = variables;
  const number = Number(port);
  return {
    ...(typeof host === 'string' && isHostName(host.replace(/^::/, '0::')) ? { host } : {}),
    ...(Number.isInteger(number) && number > 0 && number < 65_536 ? { port: number } : {}),
    ...(typeof user === 'string' && /^[A-Za-z_][\w.-]*\$?$/.test(user) ? { user } : {}),
  };
}

/** Groups with the hosts of their groups; a group that holds itself holds nothing more by that. */
export function resolved({ hosts, members, children, left }: Inventory): Known {
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
