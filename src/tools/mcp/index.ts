export { createMcp, type Mcp } from './mcp.ts';
export type { ElicitAnswer, Elicitation } from './types.ts';
