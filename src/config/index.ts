export { checkText } from './check.ts';
export type { Config, McpServer, ModelConfig } from './config.ts';
export { type Places, placesOf } from './config.ts';
export { type Instructions, type Loaded, loadConfig, type ProjectFile, readInstructions } from './load.ts';
export { type Setting, settingsOf } from './origins.ts';
export { SCHEMA, type Schema } from './schema.ts';
export { createTrust, type Trust } from './trust.ts';
export { changeConfig, writeModelChoice, writePrivate } from './write.ts';
