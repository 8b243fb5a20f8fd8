/** A server's form → fields for the user, and back. Forms are flat, of simple types; what is more than that is declined. */

import type { Form, FormChoice, FormField } from '../../session/form.ts';
import { asArray, isJsonObject, type JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';

const MAX_FIELDS = 20;
const MAX_CHOICES = 100;
const MAX_CHARS = 1000;

/** Undefined for what can't be put to a person in this way. */
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

/** `enum` with or without names, or a list of constants with titles; for several of them, in the items of a list. */
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

/** Clean text of one line. */
function words(value: unknown): string {
  return typeof value === 'string' ? plainText(value.slice(0, MAX_CHARS)).replace(/\s+/g, ' ').trim() : '';
}
