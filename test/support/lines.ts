/** Parses the lines of `--json`, checking each against the documented schema. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Entry } from '../../src/session/entry.ts';

type Kind =
  | Exclude<Entry['kind'], 'thoughts'>
  | 'question'
  | 'trial'
  | 'fleet'
  | 'fleetHalts'
  | 'fleetHost'
  | 'fleetEnded';

/** Every kind of printed line. A new kind does not compile until it is listed here, and the schema must have it. */
export const KINDS: Readonly<Record<Kind, true>> = {
  user: true,
  assistant: true,
  exec: true,
  tool: true,
  delegate: true,
  refused: true,
  norrisBegan: true,
  plan: true,
  norrisStep: true,
  norrisEnded: true,
  resumed: true,
  notice: true,
  meta: true,
  question: true,
  trial: true,
  fleet: true,
  fleetHalts: true,
  fleetHost: true,
  fleetEnded: true,
};

type LinesSchema = {
  readonly oneOf: readonly { readonly properties: { readonly kind: { readonly const: string } } }[];
};

export function linesSchema(): LinesSchema {
  return JSON.parse(readFileSync(new URL('../../docs/lines.schema.json', import.meta.url), 'utf8'));
}

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const valid = ajv.compile<Readonly<Record<string, unknown>>>(linesSchema());

/** Returns the objects in `out`, one a line. Throws for invalid JSON or a violation of the schema. */
export function jsonLines(out: string): Readonly<Record<string, unknown>>[] {
  return out
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => {
      const line: unknown = JSON.parse(text);
      if (!valid(line)) throw new Error(`not as docs/lines.schema.json says: ${text}\n${ajv.errorsText(valid.errors)}`);
      return line;
    });
}
