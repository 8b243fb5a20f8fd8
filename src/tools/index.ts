export { BASH } from './bash.ts';
export { DELEGATE } from './delegate.ts';
export { jobsTool } from './jobs.ts';
export { createMcp, type Mcp } from './mcp/index.ts';
export { MODE_UPGRADE } from './mode-upgrade.ts';
export { type PatchTool, patchTool } from './patch/index.ts';
export { type BuiltinTool, createTools } from './registry.ts';
