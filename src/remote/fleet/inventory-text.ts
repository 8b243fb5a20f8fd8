/** An inventory as text, where Ansible is not installed: names, groups, and how a machine is reached. */
import { addChild, addHost, addressOf, emptyInventory, type Inventory } from './groups.ts';
import { MAX_HOSTS } from './names.ts';

/** `web[01:20].example.org` as twenty names; a text without a range as itself. */
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

/** `[group]` and its hosts, `[group:children]` and its groups; variables of groups are passed over. */
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
 * The part of YAML in which inventories are written by hand: nested keys, one a line. What is written otherwise (flow
 * style, anchors, text over several lines) is left out, since half of it would be another list of machines.
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

/** One key with all that are above it: `all children web hosts web1 ansible_port`. */
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
