export type { Config, McpServer, ModelConfig } from './config.ts';
export { type Loaded, loadConfig, placesOf } from './load.ts';
export { SCHEMA, type Schema } from './schema.ts';
