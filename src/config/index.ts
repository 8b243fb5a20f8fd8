export { checkText } from './check.ts';
export type { Config, McpServer, ModelConfig } from './config.ts';
export { type Places, placesOf } from './config.ts';
export {
  type Instructions,
  type Loaded,
  loadConfig,
  ofDirectory,
  type ProjectFile,
  readInstructions,
  type Setting,
  settingsOf,
} from './load.ts';
export { createTrust, type Trust } from './project.ts';
export { SCHEMA, type Schema } from './schema.ts';
export { filledText, variablesIn } from './variables.ts';
export { changeConfig, writeModelChoice, writePrivate } from './write.ts';
