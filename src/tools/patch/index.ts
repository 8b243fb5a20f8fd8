export { type PatchOptions, type PatchTool, patchTool } from './tool.ts';
