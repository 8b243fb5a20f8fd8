/** One tool as its server describes it, read at the border: nothing of it is trusted further than it was looked at. */

import { createHash } from 'node:crypto';
import type { ToolSpec } from '../../session/message.ts';
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';

export type Annotations = {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
};

export type ToolDefinition = {
  readonly spec: ToolSpec;
  /** What its server calls it. */
  readonly own: string;
  readonly annotations: Annotations;
  /** Its server's word on it, in lines for a person. */
  readonly claims: readonly string[];
  /** A digest of name, description, schema and annotations. */
  readonly digest: string;
  /** Why arguments are not checked here. */
  readonly unchecked?: string;
};

const MAX_SCHEMA_DEPTH = 32;
const MAX_SCHEMA_NODES = 5000;
const MAX_SCHEMA_CHARS = 60_000;
const MAX_DESCRIPTION_CHARS = 4000;
const MAX_CLAIM_CHARS = 200;

/** Undefined for what is no tool, and for one that can only be called as a task, which is not spoken here. */
export function readTool(server: string, raw: unknown): ToolDefinition | undefined {
  if (!isJsonObject(raw) || typeof raw.name !== 'string') return undefined;
  if (isJsonObject(raw.execution) && raw.execution.taskSupport === 'required') return undefined;
  const own = raw.name;
  const description = typeof raw.description === 'string' ? cut(plainText(raw.description), MAX_DESCRIPTION_CHARS) : '';
  const { parameters, unchecked } = readSchema(raw.inputSchema);
  const annotations = readAnnotations(raw.annotations);
  const digest = createHash('sha256')
    .update(canonical({ own, description, parameters, annotations }))
    .digest('hex')
    .slice(0, 32);
  return {
    spec: { name: toolName(server, own), description, parameters },
    own,
    annotations,
    claims: claimsOf(annotations, description),
    digest,
    ...(unchecked === undefined ? {} : { unchecked }),
  };
}

/** A schema that can't be handled safely is replaced by `type: object`; then the server alone checks the arguments. */
function readSchema(raw: unknown): { readonly parameters: JsonObject; readonly unchecked?: string } {
  const any: JsonObject = { type: 'object', properties: {} };
  if (!isJsonObject(raw)) return { parameters: any, unchecked: 'it has no schema' };
  if (raw.type !== undefined && raw.type !== 'object')
    return { parameters: any, unchecked: 'its input is not an object' };
  const problem = schemaProblem(raw);
  return problem === undefined ? { parameters: { ...any, ...raw } } : { parameters: any, unchecked: problem };
}

function readAnnotations(raw: unknown): Annotations {
  if (!isJsonObject(raw)) return {};
  const hints = ['readOnlyHint', 'destructiveHint', 'openWorldHint'] as const;
  return Object.fromEntries(hints.flatMap((hint) => (typeof raw[hint] === 'boolean' ? [[hint, raw[hint]]] : [])));
}

function claimsOf({ readOnlyHint, destructiveHint, openWorldHint }: Annotations, description: string): string[] {
  const hints = [
    readOnlyHint === undefined ? '' : readOnlyHint ? 'it only reads' : 'it changes something',
    destructiveHint === undefined ? '' : destructiveHint ? 'it may destroy' : 'it destroys nothing',
    openWorldHint === true ? 'it reaches beyond this machine' : '',
  ].filter((hint) => hint !== '');
  const [first = ''] = description.trim().split('\n');
  return [...(hints.length > 0 ? [hints.join(', ')] : []), ...(first === '' ? [] : [cut(first, MAX_CLAIM_CHARS)])];
}

/** JSON with sorted keys: the same definition sent in another order is the same. Its depth is bounded by what was read. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** What every model server takes as the name of a tool. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME_CHARS = 64;
const DIGEST_CHARS = 8;

/**
 * `server__tool`, legal and the same every time: it depends on the two names alone. A tool's name that had to be
 * changed ends in a digest of it, so that two of them don't become one. The server's name holds no `__` (the
 * configuration sees to it), so nothing of one server can pass for another's.
 */
export function toolName(server: string, own: string): string {
  const name = `${server}__${own}`;
  if (own !== '' && LEGAL.test(name)) return name;
  const digest = createHash('sha256').update(own).digest('hex').slice(0, DIGEST_CHARS);
  const room = MAX_NAME_CHARS - server.length - '__'.length - '_'.length - DIGEST_CHARS;
  return `${server}__${own.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, room)}_${digest}`;
}

/**
 * Why a JSON value should not be handled as a schema, in a few words; undefined when it may be. Takes bounded time and
 * stack whatever the value is.
 */
function schemaProblem(schema: unknown): string | undefined {
  let count = 0;
  let size = 0;
  const stack: { readonly value: unknown; readonly level: number }[] = [{ value: schema, level: 0 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, level } = next;
    if (typeof value === 'string') size += value.length;
    if (typeof value !== 'object' || value === null) continue;
    if (level >= MAX_SCHEMA_DEPTH) return `it is nested deeper than ${MAX_SCHEMA_DEPTH} levels`;
    for (const [key, inner] of Object.entries(value)) {
      count += 1;
      size += key.length;
      if (count > MAX_SCHEMA_NODES || size > MAX_SCHEMA_CHARS) return 'it is too large';
      if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && typeof inner === 'string' && !inner.startsWith('#'))
        return 'it refers to another document';
      stack.push({ value: inner, level: level + 1 });
    }
  }
  return undefined;
}
