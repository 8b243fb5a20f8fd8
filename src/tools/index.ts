export { BASH, DELEGATE, MODE_UPGRADE } from './builtin-specs.ts';
export { jobsTool } from './jobs.ts';
export { McpServers } from './mcp/mcp.ts';
export { type PatchTool, patchTool } from './patch/tool.ts';
export { type BuiltinTool, createTools } from './registry.ts';
