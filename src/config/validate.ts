/**
 * Compiles the schema to a function. The build replaces this file by precompiled code (build.mjs), so that a start
 * loads no schema compiler.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { SCHEMA, SCHEMA_OPTIONS } from './schema.ts';

export const validate: ValidateFunction = new Ajv(SCHEMA_OPTIONS).compile(SCHEMA);
