/** Resolves `web1,web2,@group` to machines. */
import { nearest } from '../../text/matching.ts';
import { nameText } from '../../text/spelled.ts';

/** How to reach a machine of an inventory, if its name does not say it. No other variable is ever kept. */
export type Address = { readonly host?: string; readonly port?: number; readonly user?: string };

/** The known machines: names and groups, never variables. */
export type Known = {
  readonly hosts: ReadonlyMap<string, Address>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Incomplete groups, each with a name that was left out: it is invalid, or there are too many. */
  readonly partial?: ReadonlyMap<string, string>;
};

/** The maximum number of machines in one run. */
export const MAX_HOSTS = 500;

/** A name never starts like an option, and has no characters special to a shell or client. */
const NAME = /^[A-Za-z0-9_](?:[\w.:@/%+-]|\[(?=[0-9a-fA-F:]+\])|\])*$/;
const MAX_NAME_CHARS = 255;

export function isHostName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && NAME.test(name);
}

export type Named =
  | { readonly ok: true; readonly hosts: readonly string[] }
  /** `problem`: one line with what to do. */
  | { readonly ok: false; readonly problem: string };

/**
 * Resolves names and groups in their order, each machine once. Unknown names are accepted, because ssh may know them.
 * Unknown groups are not, because a guess would reach other machines than meant.
 */
export function resolveHosts(text: string, { groups, partial }: Known): Named {
  const hosts = new Set<string>();
  for (const word of text.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    if (!word.startsWith('@')) {
      if (!isHostName(word)) return { ok: false, problem: `${word} is not the name of a host` };
      hosts.add(word);
      continue;
    }
    const members = groups.get(word.slice(1));
    if (!members) return { ok: false, problem: unknownGroup(word.slice(1), [...groups.keys()]) };
    const left = partial?.get(word.slice(1));
    if (left !== undefined)
      return {
        ok: false,
        problem: `the group ${word} also names ${nameText(left)}, which can't be a host's name here`,
      };
    if (members.length === 0) return { ok: false, problem: `the group ${word} has no hosts` };
    for (const host of members) hosts.add(host);
  }
  if (hosts.size === 0) return { ok: false, problem: 'no hosts were named; example: web1,web2,@group' };
  if (hosts.size > MAX_HOSTS) return { ok: false, problem: `${hosts.size} hosts, and at most ${MAX_HOSTS} at a time` };
  return { ok: true, hosts: [...hosts] };
}

function unknownGroup(name: string, names: readonly string[]): string {
  const guess = nearest(name, names);
  const there = names.length === 0 ? 'no inventory was found' : `there are: ${names.slice(0, 20).join(', ')}`;
  return `no group is called @${name}; ${guess === undefined ? there : `did you mean @${guess}?`}`;
}

/** Merges several sources. Earlier ones win: ssh's own configuration before an inventory's address. */
export function joinKnown(sources: readonly Known[]): Known {
  const hosts = new Map<string, Address>();
  const groups = new Map<string, readonly string[]>();
  const partial = new Map<string, string>();
  for (const source of sources) {
    for (const [name, address] of source.hosts) if (!hosts.has(name)) hosts.set(name, address);
    for (const [name, members] of source.groups) if (!groups.has(name)) groups.set(name, members);
    for (const [name, left] of source.partial ?? []) if (!partial.has(name)) partial.set(name, left);
  }
  return { hosts, groups, partial };
}
