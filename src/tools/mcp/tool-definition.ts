/** One tool as its server describes it, read at the border: nothing of it is trusted further than it was looked at. */

import { createHash } from 'node:crypto';
import type { ToolSpec } from '../../session/message.ts';
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';
import { toolName } from './names.ts';
import { schemaProblem } from './screen-schema.ts';

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

const LIMITS = { depth: 32, nodes: 5000, characters: 60_000 } as const;
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
  const problem = schemaProblem(raw, LIMITS);
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
