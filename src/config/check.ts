/**
 * Validates a parsed file against the schema: each mistake is one line with path, line and the nearest valid name
 * (CF-1).
 */
import type { ErrorObject } from 'ajv';
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser';
import { asArray, isJsonObject, type JsonObject, MAX_JSON_DEPTH, tooDeepAt } from '../text/json.ts';
import { nearest } from '../text/matching.ts';
import type { Config, McpServer } from './config.ts';
import { SCHEMA, type Schema } from './schema.ts';
import { variablesIn } from './variables.ts';

export type Checked =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>>; readonly tree?: Node }
  | {
      readonly ok: false;
      /** The first mistake. `mistakes` lists all in file order: `PATH:LINE:COLUMN: what`. */
      readonly message: string;
      readonly mistakes: readonly string[];
      /** The file without its mistakes; empty if it can't be parsed. */
      readonly sound: Readonly<Record<string, unknown>>;
      /** The invalid settings that are ignored, a misspelt name already corrected; `[]` is the whole file. */
      readonly lost: readonly Place[];
    };

type Mistaken = Extract<Checked, { ok: false }>;

/** The result for a file that can't be parsed. */
export const NOTHING_LEFT: Pick<Mistaken, 'sound' | 'lost'> = { sound: {}, lost: [[]] };

export type Place = readonly (string | number)[];

type Found = {
  readonly offset: number;
  readonly message: string;
  /** The part to leave out, under its intended name; absent: the whole file. */
  readonly place?: Place;
  readonly meant?: Place;
};

/** The most mistakes that are listed, more than a person corrects at once. */
const MAX_MISTAKES = 50;

/** @param path used only in the messages */
export async function checkText(text: string, path: string): Promise<Checked> {
  const deep = tooDeepAt(text);
  if (deep !== undefined)
    return mistaken(path, text, [{ offset: deep, message: `nested more than ${MAX_JSON_DEPTH} levels deep` }]);
  const errors: ParseError[] = [];
  const bare = text.replace(/^\uFEFF/, ' ');
  // Like /dev/null, or a file with all lines commented out.
  if (stripComments(bare).trim() === '') return { ok: true, value: {} };
  const tree = parseTree(bare, errors, { allowTrailingComma: true });
  if (errors.length > 0) return mistaken(path, text, errors.map(syntaxError));
  if (!tree) return { ok: true, value: {} };
  const poisoned = findKey(tree, '__proto__');
  if (poisoned) return mistaken(path, text, [{ offset: poisoned.offset, message: 'the key __proto__ is not allowed' }]);
  const value: unknown = getNodeValue(tree);
  if (!isJsonObject(value)) return mistaken(path, text, [{ offset: tree.offset, message: 'it must be an object' }]);
  const { errorsOf } = await import('./validator.ts');
  const find = (checked: JsonObject) => mistakesIn(checked, tree, errorsOf(checked));
  const found = find(value);
  return found.length === 0 ? { ok: true, value, tree } : mistaken(path, text, found, soundPart(value, found, find));
}

function mistakesIn(value: JsonObject, tree: Node, wrong: readonly ErrorObject[]): readonly Found[] {
  // Check rules beyond the schema only in blocks with a valid structure.
  const bad = new Set(wrong.map(({ instancePath, params }) => firstKey(instancePath, params.additionalProperty)));
  const sound: Partial<Config> = Object.fromEntries(Object.entries(value).filter(([key]) => !bad.has(key)));
  return [
    ...wrong.map((error) => explain(error, error.instancePath.split('/').slice(1).map(fromPointer), tree)),
    ...beyondSchema(sound).map(({ place, message }) => ({
      offset: (findNodeAtLocation(tree, [...place]) ?? tree).offset,
      message,
      place,
    })),
  ];
}

/** Leaves out the mistakes, and then what is wrong without them, such as a block that lacks a key. */
function soundPart(
  value: JsonObject,
  first: readonly Found[],
  find: (value: JsonObject) => readonly Found[],
): Pick<Mistaken, 'sound' | 'lost'> {
  const sound = structuredClone(value);
  for (let found = first, rounds = 0; found.length > 0; found = find(sound), rounds += 1) {
    if (rounds > MAX_JSON_DEPTH || found.some(({ place = [] }) => place.length === 0)) return NOTHING_LEFT;
    const lists = found.map(({ place = [] }) => leaveOut(sound, place));
    // At the end, because removing list items shifts later ones.
    for (const list of lists) if (Array.isArray(list)) list.splice(0, list.length, ...asArray(list).filter(() => true));
  }
  return { sound, lost: first.map(({ place = [], meant = place }) => meant) };
}

/** Removes the value at a place, and returns the object that contained it. */
function leaveOut(value: object, place: Place): unknown {
  const [key = '', ...rest] = place;
  const held: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  if (rest.length > 0) return typeof held === 'object' && held !== null ? leaveOut(held, rest) : undefined;
  Reflect.deleteProperty(value, key);
  return value;
}

function syntaxError({ offset, error }: ParseError): Found {
  const words = printParseErrorCode(error).replace(/([a-z])([A-Z])/g, '$1 $2');
  return { offset, message: words.toLowerCase() };
}

function firstKey(instancePath: string, extra: unknown): string {
  const [, first = ''] = instancePath.split('/');
  return instancePath === '' ? String(extra) : fromPointer(first);
}

function explain(error: ErrorObject, place: readonly string[], tree: Node): Found {
  const at = findNodeAtLocation(tree, place.map(indexOrName)) ?? tree;
  const name = place.join('.');
  const extra: unknown = error.params.additionalProperty;
  if (typeof extra === 'string') {
    const key = at.children?.find((property) => property.children?.[0]?.value === extra);
    const known = Object.keys(schemaAt(place)?.properties ?? {});
    const guess = nearest(extra, known);
    const hint = guess ? `; did you mean ${guess}?` : known.length > 0 ? `; known here: ${known.join(', ')}` : '';
    const message = `unknown key ${[...place, extra].join('.')}${hint}`;
    return { offset: (key ?? at).offset, message, place: [...place, extra], meant: guess ? [...place, guess] : place };
  }
  const allowed: unknown = error.params.allowedValues;
  const subject = name === '' ? 'the file' : name;
  const missing: unknown = error.params.missingProperty;
  const message = Array.isArray(allowed)
    ? `${subject}: ${JSON.stringify(getNodeValue(at)).slice(0, 40)} is not one of ${allowed.join(', ')}`
    : typeof missing === 'string'
      ? `${subject} needs ${missing}`
      : `${subject} ${error.message ?? 'is wrong'}`;
  return { offset: at.offset, message, place };
}

function schemaAt(place: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = SCHEMA;
  for (const part of place) {
    const other: boolean | Schema | undefined = schema?.additionalProperties;
    schema = schema?.properties?.[part] ?? schema?.items ?? (typeof other === 'object' ? other : undefined);
  }
  return schema;
}

function mistaken(path: string, text: string, found: readonly Found[], left = NOTHING_LEFT): Mistaken {
  const lines = found
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, message }) => `${path}:${positionOf(text, offset)}: ${message}`);
  const mistakes = [...new Set(lines)];
  const [message = path] = mistakes;
  const more = mistakes.length - MAX_MISTAKES;
  return {
    ok: false,
    message,
    mistakes: more > 0 ? [...mistakes.slice(0, MAX_MISTAKES), `and ${more} more`] : mistakes,
    ...left,
  };
}

/** Returns `LINE:COLUMN`, counted from 1. */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
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

// Rules that a schema can't express: names that must exist, values that must fit together. The structure is already
// valid.

type Mistake = { readonly place: Place; readonly message: string };

/** Finds the mistakes that the schema can't express. */
function beyondSchema(given: Partial<Config>): readonly Mistake[] {
  return [...badPatterns(given), ...badModel(given), ...badFallbacks(given), ...badExtras(given), ...badServers(given)];
}

function badPatterns({ safety }: Partial<Config>): readonly Mistake[] {
  return (safety?.destructive_patterns ?? []).flatMap(({ pattern }, i) => {
    try {
      new RegExp(pattern);
      return [];
    } catch {
      const place = ['safety', 'destructive_patterns', i, 'pattern'];
      return [{ place, message: `${place.join('.')} is not a regular expression: ${pattern}` }];
    }
  });
}

/** Returns the message about an unknown preset name; without configured presets it may be that of a detected one. */
function badModel({ model, models = {} }: Partial<Config>): readonly Mistake[] {
  const known = Object.keys(models);
  if (model === undefined || known.length === 0 || model === 'demo' || known.includes(model)) return [];
  return [{ place: ['model'], message: `model names no preset: ${model}; ${hint(model, known)}` }];
}

function badFallbacks({ models = {} }: Partial<Config>): readonly Mistake[] {
  const known = Object.keys(models);
  return Object.entries(models).flatMap(([name, { fallback = [] }]) =>
    fallback.flatMap((other, i) => {
      const place = ['models', name, 'fallback', i];
      if (other === name) return [{ place, message: `${place.join('.')} names the preset itself` }];
      if (known.includes(other)) return [];
      return [{ place, message: `${place.join('.')} names no preset: ${other}; ${hint(other, known)}` }];
    }),
  );
}

/** Request fields that aish-tui itself sets. */
const OWN_FIELDS = ['messages', 'tools', 'stream', 'model'];

function badExtras({ models = {} }: Partial<Config>): readonly Mistake[] {
  return Object.entries(models).flatMap(([name, { extra_body = {} }]) =>
    OWN_FIELDS.filter((field) => field in extra_body).map((field) => {
      const place = ['models', name, 'extra_body', field];
      return { place, message: `${place.join('.')} may not be set: aish-tui sets ${field} itself` };
    }),
  );
}

function hint(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess ? `did you mean ${guess}?` : `there are: ${known.join(', ')}`;
}

/** Tools are named NAME__tool, at most 64 characters: the end of a name must be unambiguous. */
const SERVER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,28}[A-Za-z0-9-])?$/;
const NAMING = 'a server is named with letters, digits, - and single _, at most 30, not ending in _';

/** Whether a server with this name has unambiguous tool names. */
function isServerName(name: string): boolean {
  return SERVER_NAME.test(name) && !name.includes('__');
}

/** A secret must go only to its own server. */
function badLogin(server: McpServer): string | undefined {
  if (!('url' in server)) return 'is for a server with an address';
  const { client_id, client_secret_env, private_key_env, client_credentials, issuer } = server.oauth ?? {};
  const own = [client_secret_env, private_key_env, client_credentials].some((given) => given !== undefined);
  if (own && (client_id === undefined || issuer === undefined))
    return 'needs client_id and issuer with a secret or a key';
  if (issuer !== undefined && !URL.canParse(issuer)) return 'has an issuer that is no address';
  return undefined;
}

function badServers({ mcp }: Partial<Config>): readonly Mistake[] {
  return Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => {
    const place = ['mcp', 'servers', name];
    if (!isServerName(name)) return [{ place, message: `${place.join('.')}: ${NAMING}` }];
    if ('command' in server === 'url' in server)
      return [{ place, message: `mcp.servers.${name} needs either command or url` }];
    // A variable in the address is known only at the start.
    if (
      'url' in server &&
      variablesIn(server.url).length === 0 &&
      !/^https?:$/.test(URL.canParse(server.url) ? new URL(server.url).protocol : '')
    )
      return [{ place: [...place, 'url'], message: `mcp.servers.${name}.url is not an http or https address` }];
    const problem = 'oauth' in server ? badLogin(server) : undefined;
    return problem === undefined
      ? []
      : [{ place: [...place, 'oauth'], message: `mcp.servers.${name}.oauth ${problem}` }];
  });
}
