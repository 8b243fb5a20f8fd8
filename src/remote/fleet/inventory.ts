/** Names and groups of an Ansible inventory. Inventories hold secrets: three variables are taken, and nothing else. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, parseBoundedJson } from '../../text/json.ts';
import { addChild, addHost, addressOf, emptyInventory, type Inventory, resolved } from './groups.ts';
import { readIni, readYaml } from './inventory-text.ts';
import type { Known } from './names.ts';
import { readBounded } from './read-bounded.ts';

/** Bytes of one inventory, as text and as what Ansible makes of it. */
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

const run = promisify(execFile);

/**
 * Ansible's own word where it is installed; else the file as plain INI or YAML, in which nothing is run and nothing is
 * expanded but ranges. Undefined where neither can be had.
 * @param named a path, from the working directory
 */
export async function inventoryHosts(named: string, env: NodeJS.ProcessEnv = process.env): Promise<Known | undefined> {
  const path = resolve(named);
  const what = await stat(path).catch(() => undefined);
  if (!what?.isFile() && !what?.isDirectory()) return undefined;
  const inventory = (await askAnsible(path, env)) ?? (await readFromFile(path));
  return inventory && resolved(inventory);
}

async function askAnsible(path: string, env: NodeJS.ProcessEnv): Promise<Inventory | undefined> {
  try {
    // Not in the working directory: an ansible.cfg of a repository names programs to run. So does an inventory that is
    // itself a program, or names a plugin: only what is a list of hosts is read.
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

/** What `ansible-inventory --list` prints. */
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
