/**
 * The settings that a project’s `.aish.jsonc` may change (CF-1). The file comes with a cloned repository, so it is only
 * data. Untrusted, it can tighten settings. Trusted, it can also choose and add. It can never loosen safety, mode or
 * secrets, nor run a program other than MCP servers.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '../text/json.ts';
import type { Config } from './config.ts';
import { variablesIn } from './variables.ts';
import { writePrivate } from './write.ts';

type Rule = {
  /** The key, separated by dots. */
  readonly key: string;
  /** Requires that the user trusts this file. */
  readonly trusted: boolean;
  /**
   * The smallest value that an untrusted file may set: a smaller one would stop the program instead of tightening it.
   */
  readonly floor?: number;
  /** Returns the new value; undefined if the project may not set it. The schema has validated `theirs`. */
  take(own: unknown, theirs: unknown): unknown;
};

const smaller: Rule['take'] = (own, theirs) =>
  typeof theirs === 'number' && (typeof own !== 'number' || theirs <= own) ? theirs : undefined;
const only =
  (value: unknown): Rule['take'] =>
  (_own, theirs) =>
    theirs === value ? theirs : undefined;
const added: Rule['take'] = (own, theirs) => [...asList(own), ...asList(theirs)];
/** Accepts only new names: a project can’t put another server behind a name used in the user’s own rules. */
const newNames: Rule['take'] = (own, theirs) => ({ ...asRecord(theirs), ...asRecord(own) });
/** The user's variables and commands are not passed to a server that a project names. */
const newServers: Rule['take'] = (own, theirs) => {
  const takes = (value: unknown): boolean =>
    typeof value === 'string' ? variablesIn(value).length > 0 : Object.values(asRecord(value)).some(takes);
  const isOwn = Object.values(asRecord(theirs)).some((server) => takes(server) || 'env_cmd' in asRecord(server));
  return isOwn ? undefined : newNames(own, theirs);
};
const any: Rule['take'] = (_own, theirs) => theirs;

/** The complete list. All other keys are the user's alone. */
export const PROJECT_RULES: readonly Rule[] = [
  { key: 'max_turns', trusted: false, floor: 4, take: smaller },
  { key: 'token_budget', trusted: false, floor: 4096, take: smaller },
  { key: 'max_tool_rounds', trusted: false, floor: 2, take: smaller },
  { key: 'max_answer_tokens', trusted: false, floor: 256, take: smaller },
  { key: 'norris.max_norris_steps', trusted: false, floor: 2, take: smaller },
  { key: 'norris.tasks_max', trusted: false, take: smaller },
  { key: 'cost.warn_at_dollars', trusted: false, take: smaller },
  { key: 'cost.stop_at_dollars', trusted: false, floor: 0.01, take: smaller },
  { key: 'norris.approve_plan', trusted: false, take: only('ask') },
  { key: 'confirm_cmd', trusted: false, take: only(true) },
  { key: 'mode', trusted: false, take: only('restricted') },
  { key: 'sandbox.unrestricted', trusted: false, take: only('light') },
  { key: 'safety.llm_second_opinion', trusted: false, take: only(true) },
  { key: 'safety.always_destructive_tools', trusted: false, take: added },
  { key: 'memory.enabled', trusted: false, take: only(false) },
  { key: 'instructions', trusted: false, take: only(false) },
  // Requires trust: a pattern can be slow on purpose.
  { key: 'safety.destructive_patterns', trusted: true, take: added },
  { key: 'model', trusted: true, take: any },
  { key: 'system_prompt', trusted: true, take: any },
  { key: 'wait_seconds', trusted: true, take: any },
  { key: 'norris.preplanner', trusted: true, take: any },
  { key: 'norris.executor', trusted: true, take: any },
  { key: 'norris.preplan_system', trusted: true, take: any },
  { key: 'norris.task_models', trusted: true, take: any },
  { key: 'mcp.servers', trusted: true, take: newServers },
  { key: 'ui.theme', trusted: true, take: any },
];

export type Merged = {
  readonly config: Config;
  /** Keys whose value comes wholly or partly from the project. */
  readonly taken: readonly string[];
  /** Keys that would apply if the file were trusted. */
  readonly waiting: readonly string[];
  /** Keys that no project may set, or not to this value. */
  readonly refused: readonly string[];
};

/** Merges a validated project file into the user's configuration. */
export function mergeProject(own: Config, project: Readonly<Record<string, unknown>>, trusted: boolean): Merged {
  const taken: string[] = [];
  const waiting: string[] = [];
  const refused: string[] = [];
  let config: Config = own;
  for (const key of keysOf(project)) {
    const rule = PROJECT_RULES.find((one) => one.key === key);
    if (rule && !trusted && (rule.trusted || isBelow(rule.floor, at(project, key)))) {
      waiting.push(key);
      continue;
    }
    const value = rule?.take(at(config, key), at(project, key));
    if (value === undefined) refused.push(key);
    else {
      config = withValue(config, key, value);
      taken.push(key);
    }
  }
  return { config, taken, waiting, refused };
}

function isBelow(floor: number | undefined, value: unknown): boolean {
  return floor !== undefined && typeof value === 'number' && value < floor;
}

/** Lists the keys of a file, one block deep. */
function keysOf(project: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(project).flatMap(([name, value]) => {
    const isBlock = PROJECT_RULES.some(({ key }) => key.startsWith(`${name}.`));
    if (name === '$schema') return [];
    return isBlock ? Object.keys(asRecord(value)).map((inner) => `${name}.${inner}`) : [name];
  });
}

function at(value: unknown, key: string): unknown {
  return key.split('.').reduce((inner: unknown, name) => asRecord(inner)[name], value);
}

function withValue(config: Config, key: string, value: unknown): Config {
  const [name = '', inner] = key.split('.');
  if (inner === undefined) return { ...config, [name]: value };
  return { ...config, [name]: { ...asRecord(at(config, name)), [inner]: value } };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

// The project files that the user trusts, by real path and content: a changed file needs a new answer.

export type Trust = {
  has(realPath: string, text: string): boolean;
  /** Remembers the user’s answer. Returns false if it could not be saved; then it is valid only for this run. */
  add(realPath: string, text: string): boolean;
};

/** The answers in `trust.json` in the state directory. An unreadable file trusts nothing. */
export function createTrust(stateDir: string): Trust {
  const path = join(stateDir, 'trust.json');
  const known = read(path);
  return {
    has: (realPath, text) => known.get(realPath) === digest(text),
    add(realPath, text) {
      known.set(realPath, digest(text));
      return writePrivate(path, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`) === undefined;
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function read(path: string): Map<string, string> {
  try {
    const entries = Object.entries(parseJsonObject(readFileSync(path, 'utf8')) ?? {});
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
