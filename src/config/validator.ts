/** What a configuration's schema says of a value; imported only when there is a file to check. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { SCHEMA, SCHEMA_OPTIONS } from './schema.ts';

/** The errors of a value against the schema; none when it is valid. Of alternatives that all fail: one error. */
export function errorsOf(value: unknown): readonly ErrorObject[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
}

// The schema as a function. The build puts ready-made code in place of this file: no compiler of schemas at a start.

const validate: ValidateFunction = new Ajv(SCHEMA_OPTIONS).compile(SCHEMA);
