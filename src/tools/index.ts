export { BASH, DELEGATE, MODE_UPGRADE } from './builtin-specs.ts';
export { McpServers } from './mcp/mcp.ts';
export { type PatchTool, patchTool } from './patch/tool.ts';
export { type BuiltinTool, createTools, jobsTool } from './registry.ts';
