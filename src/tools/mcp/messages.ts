/** Validates messages of MCP servers: tool definitions, forms and results. */
import { createHash } from 'node:crypto';
import { clip, MAX_OUTPUT_CHARS, plainOutput } from '../../session/exec-text.ts';
import type { Form, FormChoice, FormField } from '../../session/form.ts';
import type { ToolSpec } from '../../session/message.ts';
import { asArray, isJsonObject, type JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';

export type Annotations = {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
};

export type ToolDefinition = {
  readonly spec: ToolSpec;
  /** The server's name for the tool. */
  readonly own: string;
  readonly annotations: Annotations;
  /** The server's claims about it, in lines for a person. */
  readonly claims: readonly string[];
  /** A digest of name, description, schema and annotations. */
  readonly digest: string;
  /** Why the tool's arguments are not checked here. */
  readonly unchecked?: string;
};

const MAX_SCHEMA_DEPTH = 32;
const MAX_SCHEMA_NODES = 5000;
const MAX_SCHEMA_CHARS = 60_000;
const MAX_DESCRIPTION_CHARS = 4000;
const MAX_CLAIM_CHARS = 200;

/** Undefined for an invalid tool, and for one that can only be called as a task, which aish-tui does not support. */
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

/** Replaces an unsafe schema by `type: object`; then only the server checks the arguments. */
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

/** Returns JSON with sorted keys, so that order does not matter. The depth was limited when it was read. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Tool names that every model server accepts. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME_CHARS = 64;
const DIGEST_CHARS = 8;

/**
 * Returns `server__tool`, valid and depending only on the two names. A changed tool name ends in a digest, so that
 * two tools never become one. The configuration forbids `__` in a server's name, so no server can imitate another.
 */
export function toolName(server: string, own: string): string {
  const name = `${server}__${own}`;
  if (own !== '' && LEGAL.test(name)) return name;
  const digest = createHash('sha256').update(own).digest('hex').slice(0, DIGEST_CHARS);
  const room = MAX_NAME_CHARS - server.length - '__'.length - '_'.length - DIGEST_CHARS;
  return `${server}__${own.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, room)}_${digest}`;
}

/**
 * Returns why a JSON value must not be used as a schema; undefined if it may. Takes bounded time and stack for any
 * value.
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

// Converts a server's form to fields for the user, and back. Forms are flat with simple types; others are declined.

const MAX_FIELDS = 20;
const MAX_CHOICES = 100;
const MAX_CHARS = 1000;

/** Undefined if the form can't be shown to a user. */
export function readElicitation(server: string, params: JsonObject): Form | undefined {
  const { requestedSchema: form } = params;
  if (!isJsonObject(form) || !isJsonObject(form.properties)) return undefined;
  const entries = Object.entries(form.properties);
  if (entries.length > MAX_FIELDS) return undefined;
  const required = asArray(form.required);
  const fields = entries.map(([name, schema]) => readField(name, schema, required.includes(name)));
  if (fields.includes(undefined)) return undefined;
  return { server, message: words(params.message), fields: fields.filter((field) => field !== undefined) };
}

function readField(name: string, schema: unknown, required: boolean): FormField | undefined {
  if (!isJsonObject(schema)) return undefined;
  const title = words(schema.title) || words(name);
  const description = words(schema.description);
  const common = { name, title, required, ...(description === '' ? {} : { description }) };
  const { default: initial, minimum: least, maximum: most } = schema;
  const range = { ...(isNumber(least) ? { least } : {}), ...(isNumber(most) ? { most } : {}) };
  const choices = choicesOf(schema);
  if (choices) {
    const chosen = Array.isArray(initial) ? initial.join(', ') : initial;
    return { ...common, type: 'choice', choices, several: schema.type === 'array', initial: words(chosen) };
  }
  switch (schema.type) {
    case 'string':
      return { ...common, type: 'text', initial: words(initial), ...lengths(schema) };
    case 'number':
    case 'integer':
      return {
        ...common,
        type: 'number',
        whole: schema.type === 'integer',
        initial: isNumber(initial) ? String(initial) : '',
        ...range,
      };
    case 'boolean':
      return { ...common, type: 'yesno', initial: typeof initial === 'boolean' ? (initial ? 'yes' : 'no') : '' };
    default:
      return undefined;
  }
}

function lengths({ minLength: least, maxLength: most, format }: JsonObject) {
  return {
    ...(isNumber(least) ? { least } : {}),
    ...(isNumber(most) ? { most } : {}),
    ...(typeof format === 'string' ? { format: words(format) } : {}),
  };
}

/** `enum` with or without names, or a list of constants with titles; for multiple choice, in the items of a list. */
function choicesOf(schema: JsonObject): readonly FormChoice[] | undefined {
  const of = schema.type === 'array' && isJsonObject(schema.items) ? schema.items : schema;
  const titled = asArray(of.oneOf ?? of.anyOf).filter(isJsonObject);
  const names = asArray(of.enumNames);
  const choices =
    titled.length > 0
      ? titled.map((one) => ({ value: one.const, label: one.title }))
      : asArray(of.enum).map((value, index) => ({ value, label: names[index] }));
  if (choices.length === 0) return undefined;
  return choices
    .slice(0, MAX_CHOICES)
    .flatMap(({ value, label }) => (typeof value === 'string' ? [{ value, label: words(label) || words(value) }] : []));
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Returns one line of clean text. */
function words(value: unknown): string {
  return typeof value === 'string' ? plainText(value.slice(0, MAX_CHARS)).replace(/\s+/g, ' ').trim() : '';
}

// Types shared by this folder. Only `connection.ts` and the transports use the MCP library.

/** A server that is a local program. */
export type Program = {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Variables whose values come from commands. */
  readonly env_cmd?: Readonly<Record<string, string>>;
  /** The server's working directory. */
  readonly cwd?: string;
};

/** A configured server (MC-1): started here, or reached over streamable HTTP. */
export type ServerConfig =
  | Program
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly oauth?: OAuthConfig;
    };

/** How to log in to a server that requires it; keys as in the configuration. Without it the server is asked. */
export type OAuthConfig = {
  /** The id of a registered client, or the https address that describes one. */
  readonly client_id?: string;
  /** The variable with the client's secret, or with its private key in PEM. */
  readonly client_secret_env?: string;
  readonly private_key_env?: string;
  /** The only authorization server that may be used. */
  readonly issuer?: string;
  /** Scopes to request if the server names none. */
  readonly scope?: string;
  /** The local port for the browser's redirect. */
  readonly redirect_port?: number;
  /** The program logs in as itself, without a person. */
  readonly client_credentials?: boolean;
};

/** How to start a child so that it inherits no terminal and never outlives the program. */
export type Launch = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
) => { readonly argv: readonly [string, ...string[]]; readonly env: Readonly<Record<string, string>> };

// Converts a tool's answer to text for model and screen (MC-4).

export type KeepText = (text: string) => Promise<string | undefined>;

/** How many parts are read, and how many characters at each end of a large text are cleaned. */
const MAX_PARTS = 1000;
const EDGE_CHARS = 64 * 1024;
const MAX_RESULT_NAME_CHARS = 300;

/**
 * Returns text parts unchanged; images, sounds and resources by name, type and size; the structured answer if there
 * is nothing else. Cut like a command's output; `keep` saves the full text (returns a private file's path, or
 * undefined).
 */
export async function readResult(raw: JsonObject, keep: KeepText): Promise<{ text: string; failed: boolean }> {
  const parts = asArray(raw.content);
  const texts = parts.slice(0, MAX_PARTS).map(partText);
  if (parts.length > MAX_PARTS) texts.push(`[${parts.length - MAX_PARTS} more parts]`);
  if (texts.length === 0 && raw.structuredContent !== undefined) texts.push(JSON.stringify(raw.structuredContent));
  const whole = texts.join('\n');
  const failed = raw.isError === true;
  if (whole.trim() === '') return { text: failed ? 'it failed without a message' : '(no content)', failed };
  const file = whole.length > MAX_OUTPUT_CHARS ? await keep(whole) : undefined;
  return { text: bounded(whole, file), failed };
}

/**
 * Returns head and tail within the limit. Of a very large text it processes only the ends, so that the time is
 * bounded.
 */
function bounded(text: string, file: string | undefined): string {
  if (text.length <= 4 * EDGE_CHARS) return clip(plainText(text), MAX_OUTPUT_CHARS, file);
  return plainOutput({
    exit: 0,
    cwd: '',
    head: text.slice(0, EDGE_CHARS),
    tail: text.slice(-EDGE_CHARS),
    omittedLines: newlines(text, EDGE_CHARS, text.length - EDGE_CHARS),
    bytes: text.length,
    milliseconds: 0,
    ...(file === undefined ? {} : { file }),
  });
}

function newlines(text: string, from: number, to: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function partText(part: unknown): string {
  if (!isJsonObject(part)) return '[not a content part]';
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? part.text : '';
    case 'image':
    case 'audio':
      return `[${part.type}: ${word(part.mimeType)}, ${size(decoded(part.data))}]`;
    case 'resource':
      return resource(isJsonObject(part.resource) ? part.resource : {});
    case 'resource_link':
      return `[resource: ${word(part.uri)}, ${word(part.mimeType)}${typeof part.size === 'number' ? `, ${size(part.size)}` : ''}]`;
    default:
      return `[unknown kind of content: ${word(part.type)}]`;
  }
}

function resource({ uri, mimeType, text, blob }: JsonObject): string {
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : decoded(blob);
  return `[resource: ${word(uri)}, ${word(mimeType)}, ${size(bytes)}]`;
}

/** Returns the number of bytes that base64 text encodes. */
function decoded(data: unknown): number {
  return typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0;
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function word(value: unknown): string {
  if (typeof value !== 'string' || value === '') return 'type unknown';
  return plainText(value).replaceAll('\n', ' ').slice(0, MAX_RESULT_NAME_CHARS);
}
