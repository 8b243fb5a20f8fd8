/**
 * The schema as a function. The build puts ready-made code in place of this file (build.mjs), so that a start
 * loads no compiler of schemas.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { SCHEMA, SCHEMA_OPTIONS } from './schema.ts';

export const validate: ValidateFunction = new Ajv(SCHEMA_OPTIONS).compile(SCHEMA);
