/** The one place of this room that loads ajv; imported only when there is a file to check. */
import { Ajv, type ErrorObject } from 'ajv';
import { SCHEMA } from './schema.ts';

/** The errors of a value against the schema; none when it is valid. Of alternatives that all fail: one error. */
export function errorsOf(value: unknown): readonly ErrorObject[] {
  const ajv = new Ajv({ allErrors: true, strict: false });
  if (ajv.validate(SCHEMA, value)) return [];
  return (ajv.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
}
