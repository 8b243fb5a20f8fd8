export { BASH } from './bash.ts';
export { jobsTool, type ModelJobs } from './jobs.ts';
export { type BuiltinTool, createTools, type ToolOutcome, type ToolRegistry } from './registry.ts';
