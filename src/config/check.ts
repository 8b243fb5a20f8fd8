/** A parsed file against the schema: the first mistake, in one line with path, line and the nearest valid name (CF-1). */
import type { ErrorObject } from 'ajv';
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isJsonObject, MAX_JSON_DEPTH, tooDeepAt } from '../text/json.ts';
import { nearest } from '../text/nearest.ts';
import type { Config } from './config.ts';
import { SCHEMA, type Schema } from './schema.ts';

export type Checked =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };

/** @param path is only named in the message */
export async function checkText(text: string, path: string): Promise<Checked> {
  // As /dev/null is.
  if (text.trim() === '') return { ok: true, value: {} };
  const deep = tooDeepAt(text);
  if (deep !== undefined) return mistake(path, text, deep, `nested more than ${MAX_JSON_DEPTH} levels deep`);
  const errors: ParseError[] = [];
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first)
    return mistake(
      path,
      text,
      first.offset,
      printParseErrorCode(first.error)
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase(),
    );
  if (!tree) return { ok: true, value: {} };
  const poisoned = findKey(tree, '__proto__');
  if (poisoned) return mistake(path, text, poisoned.offset, 'the key __proto__ is not allowed');
  const value: unknown = getNodeValue(tree);
  const { firstError } = await import('./validator.ts');
  const error = firstError(value);
  if (!error && isJsonObject(value)) {
    const odd = beyondSchema(value as Partial<Config>);
    if (!odd) return { ok: true, value };
    return mistake(path, text, (findNodeAtLocation(tree, [...odd.place]) ?? tree).offset, odd.message);
  }
  if (!error) return mistake(path, text, tree.offset, 'it must be an object');
  const place = error.instancePath.split('/').slice(1).map(fromPointer);
  const { offset, message } = explain(error, place, tree);
  return mistake(path, text, offset, message);
}

function explain(error: ErrorObject, place: readonly string[], tree: Node): { offset: number; message: string } {
  const at = findNodeAtLocation(tree, place.map(indexOrName)) ?? tree;
  const name = place.join('.');
  const extra: unknown = error.params.additionalProperty;
  if (typeof extra === 'string') {
    const key = at.children?.find((property) => property.children?.[0]?.value === extra);
    const known = Object.keys(schemaAt(place)?.properties ?? {});
    const guess = nearest(extra, known);
    const hint = guess ? `; did you mean ${guess}?` : known.length > 0 ? `; known here: ${known.join(', ')}` : '';
    return { offset: (key ?? at).offset, message: `unknown key ${[...place, extra].join('.')}${hint}` };
  }
  const allowed: unknown = error.params.allowedValues;
  const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
  return { offset: at.offset, message: `${name === '' ? 'the file' : name} ${error.message ?? 'is wrong'}${values}` };
}

function schemaAt(place: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = SCHEMA;
  for (const part of place) {
    const other: boolean | Schema | undefined = schema?.additionalProperties;
    schema = schema?.properties?.[part] ?? schema?.items ?? (typeof other === 'object' ? other : undefined);
  }
  return schema;
}

function mistake(path: string, text: string, offset: number, message: string): Checked {
  const before = text.slice(0, offset).split('\n');
  return { ok: false, message: `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}: ${message}` };
}

function findKey(node: Node, name: string): Node | undefined {
  if (node.type === 'property' && node.children?.[0]?.value === name) return node;
  for (const child of node.children ?? []) {
    const found = findKey(child, name);
    if (found) return found;
  }
  return undefined;
}

function fromPointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function indexOrName(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

/** What a schema can't say: names that must exist, values that must hold together. The shape is already vouched for. */

export type Mistake = { readonly place: readonly (string | number)[]; readonly message: string };

/** The first such mistake; undefined when there is none. */
function beyondSchema(given: Partial<Config>): Mistake | undefined {
  return badPattern(given) ?? badModel(given) ?? badFallback(given) ?? badServer(given);
}

function badPattern({ safety }: Partial<Config>): Mistake | undefined {
  for (const [i, { pattern }] of (safety?.destructive_patterns ?? []).entries()) {
    try {
      new RegExp(pattern);
    } catch {
      const place = ['safety', 'destructive_patterns', i, 'pattern'];
      return { place, message: `${place.join('.')} is not a regular expression: ${pattern}` };
    }
  }
  return undefined;
}

/** Without presets of the user's own the name may be that of one that is found. */
function badModel({ model, models = {} }: Partial<Config>): Mistake | undefined {
  const known = Object.keys(models);
  if (model === undefined || known.length === 0 || model === 'demo' || known.includes(model)) return undefined;
  const guess = nearest(model, known);
  const hint = guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
  return { place: ['model'], message: `model names no preset: ${model}; ${hint}` };
}

function badFallback({ models = {} }: Partial<Config>): Mistake | undefined {
  const known = Object.keys(models);
  for (const [name, { fallback }] of Object.entries(models)) {
    for (const [i, other] of (fallback ?? []).entries()) {
      if (known.includes(other) && other !== name) continue;
      const place = ['models', name, 'fallback', i];
      if (other === name) return { place, message: `${place.join('.')} names the preset itself` };
      const guess = nearest(other, known);
      const hint = guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
      return { place, message: `${place.join('.')} names no preset: ${other}; ${hint}` };
    }
  }
  return undefined;
}

/** Tools are called NAME__tool, in at most 64 characters: a name must not look as if it ended earlier or later. */
const SERVER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,28}[A-Za-z0-9-])?$/;
const NAMING = 'a server is named with letters, digits, - and single _, at most 30, not ending in _';

function badServer({ mcp }: Partial<Config>): Mistake | undefined {
  for (const [name, server] of Object.entries(mcp?.servers ?? {})) {
    const place = ['mcp', 'servers', name];
    if (!SERVER_NAME.test(name) || name.includes('__')) return { place, message: `${place.join('.')}: ${NAMING}` };
    if ('command' in server === 'url' in server)
      return { place, message: `mcp.servers.${name} needs either command or url` };
    if ('url' in server && !/^https?:$/.test(URL.canParse(server.url) ? new URL(server.url).protocol : ''))
      return { place: [...place, 'url'], message: `mcp.servers.${name}.url is not an http or https address` };
  }
  return undefined;
}
