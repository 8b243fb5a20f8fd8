export { type FileLook, realFiles } from './files.ts';
export { type AskModel, createGate, type GateOptions, SECOND_OPINION_PROMPT } from './gate.ts';
export { localSight } from './impact/preview.ts';
export { survey } from './impact/targets.ts';
export { type JudgeOptions, judgeCommand } from './judge.ts';
export { checkLine } from './probe.ts';
export { listRules } from './rules/table.ts';
export type { ToolAnnotations, ToolOptions } from './tool.ts';
export type { StaticVerdict, UserPattern } from './verdict.ts';
