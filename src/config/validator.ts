/** What a configuration's schema says of a value; imported only when there is a file to check. */
import type { ErrorObject } from 'ajv';
import { validate } from './validate.ts';

/** The errors of a value against the schema; none when it is valid. Of alternatives that all fail: one error. */
export function errorsOf(value: unknown): readonly ErrorObject[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
}
