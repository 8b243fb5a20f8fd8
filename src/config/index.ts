export type { Config, McpServer, ModelConfig } from './config.ts';
export { type Places, placesOf } from './config.ts';
export { type Loaded, loadConfig, type ProjectFile } from './load.ts';
export { SCHEMA, type Schema } from './schema.ts';
export { createTrust, type Trust } from './trust.ts';
export { writeModelChoice } from './write.ts';
