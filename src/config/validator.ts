/** The one place of this room that loads ajv; imported only when there is a file to check. */
import { Ajv, type ErrorObject } from 'ajv';
import { SCHEMA } from './schema.ts';

/** The first error of a value against the schema; undefined when it is valid. */
export function firstError(value: unknown): ErrorObject | undefined {
  const ajv = new Ajv({ allErrors: false, strict: false });
  return ajv.validate(SCHEMA, value) ? undefined : ajv.errors?.[0];
}
