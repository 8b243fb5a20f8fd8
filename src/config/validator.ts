/** Validates a configuration value; imported only if there is a file to check. */
import type { ErrorObject } from 'ajv';
import { validate } from './validate.ts';

/** Returns the schema errors of a value. If all alternatives fail, they count as one error. */
export function errorsOf(value: unknown): readonly ErrorObject[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
}
