/** The one place of this room that loads ajv; imported with the first tool call, not at start. */
import { Ajv } from 'ajv';
import type { ToolSpec } from '../session/message.ts';

/** What is wrong with the arguments, in words for the model; undefined when they fit. */
export function problemOf(spec: ToolSpec, args: unknown): string | undefined {
  const ajv = new Ajv({ allErrors: true, strict: false });
  return ajv.validate(spec.parameters, args) ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'arguments' });
}
