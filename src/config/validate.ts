/**
 * The schema as a function. The build puts ready-made code in place of this file: no compiler of schemas at a start.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { SCHEMA, SCHEMA_OPTIONS } from './schema.ts';

export const validate: ValidateFunction = new Ajv(SCHEMA_OPTIONS).compile(SCHEMA);
