/** Where each value of the configuration comes from (`aish-tui config show`). */
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isJsonObject } from '../text/json.ts';
import { positionOf } from './check.ts';
import type { Loaded } from './load.ts';
import { SCHEMA, type Schema } from './schema.ts';

export type Origin = 'default' | 'user' | 'project';

export type Setting = {
  /** With dots: `models.fast.base_url`. */
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** `PATH:LINE:COLUMN`, where a file says it. */
  readonly place?: string;
};

/** Keys under which the program reads a value, by the key where a file may also write it. */
const ALSO_AS: Readonly<Record<string, string>> = {
  'norris.max_norris_steps': 'safety.max_norris_steps',
  auto_approve: 'mcp.auto_approve',
};

/** Every setting that has a value, in the order of the schema. */
export function settingsOf(loaded: Extract<Loaded, { ok: true }>): readonly Setting[] {
  const user = loaded.text === undefined ? undefined : treeOf(loaded.text);
  const project = loaded.project && treeOf(loaded.project.text);
  return leavesOf(loaded.config, SCHEMA, []).map(({ path, value }) => {
    const key = path.join('.');
    const taken = loaded.project?.taken.some((one) => key === one || key.startsWith(`${one}.`)) ?? false;
    const theirs = taken ? nodeAt(project, path) : undefined;
    if (theirs && loaded.project)
      return { key, value, origin: 'project', place: placeOf(loaded.project.path, loaded.project.text, theirs) };
    const ours = nodeAt(user, path) ?? nodeAt(user, ALSO_AS[key]?.split('.') ?? []);
    if (ours && loaded.file !== undefined && loaded.text !== undefined)
      return { key, value, origin: 'user', place: placeOf(loaded.file, loaded.text, ours) };
    return { key, value, origin: 'default' };
  });
}

type Leaf = { readonly path: readonly string[]; readonly value: unknown };

/** A block is taken apart as the schema says; what a user names (models, servers, keys) by its names. */
function leavesOf(value: unknown, schema: Schema, path: readonly string[]): readonly Leaf[] {
  if (value === undefined) return [];
  const { properties, additionalProperties: named } = schema;
  if (!isJsonObject(value) || (!properties && typeof named !== 'object')) return [{ path, value }];
  const names = Object.keys({ ...properties, ...value });
  return names.flatMap((name) => {
    const part = properties?.[name] ?? (typeof named === 'object' ? named : {});
    return leavesOf(value[name], part, [...path, name]);
  });
}

function treeOf(text: string): Node | undefined {
  return parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true });
}

function nodeAt(tree: Node | undefined, path: readonly string[]): Node | undefined {
  return tree && path.length > 0 ? findNodeAtLocation(tree, [...path]) : undefined;
}

function placeOf(path: string, text: string, node: Node): string {
  return `${path}:${positionOf(text, node.parent?.offset ?? node.offset)}`;
}
