export { type FileLook, realFiles } from './files.ts';
export { createGate, type GateOptions } from './gate.ts';
export { localSight } from './impact/local.ts';
export { type JudgeOptions, judgeCommand } from './judge.ts';
export { checkLine } from './probe.ts';
export { listRules } from './rules/table.ts';
export { type AskModel, SECOND_OPINION_PROMPT } from './second-opinion.ts';
export type { ToolAnnotations, ToolOptions } from './tool.ts';
export type { StaticVerdict, UserPattern } from './verdict.ts';
