/** The other agents whose hooks `aish-guard` answers. */
export const AGENTS = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode', 'pi'] as const;
export type Agent = (typeof AGENTS)[number];
