/** The tools that a model may call: their descriptions, their arguments against the schema, and how they run. */
import type { Action, Judgement } from '../session/action.ts';
import type { ToolSpec } from '../session/message.ts';

export type ToolOutcome = { readonly text: string; readonly failed: boolean };

export type BuiltinTool = {
  readonly spec: ToolSpec;
  /** Changes nothing outside this program, so it needs no consent. */
  readonly readOnly: boolean;
  /** What the program knows of its own tool: what a call would lose. Nobody else is asked. */
  judge(argumentsJson: string, cwd: string): Judgement;
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolOutcome>;
};

export type ToolRegistry = {
  readonly specs: readonly ToolSpec[];
  /** Why the call can't be accepted, in words for the model; undefined when it can. */
  refusal(action: Action): Promise<string | undefined>;
  /** The tool's own word on a call, where it is one of the program's tools; undefined leaves it to the gate. */
  judge(action: Action, cwd: string): Judgement | undefined;
  /** Whether the user has consented to this tool beforehand. Says nothing of destructive calls. */
  autoApproved(action: Action): boolean;
  run(action: Action, signal: AbortSignal): Promise<ToolOutcome>;
};

/**
 * @param described tools that are only described here and run elsewhere (`bash`)
 * @param autoApprove globs over tool names
 * @param alwaysDestructive globs over tool names that HALT whatever their own word is (SF-6)
 */
export function createTools(
  described: readonly ToolSpec[],
  builtins: readonly BuiltinTool[],
  autoApprove: readonly string[],
  alwaysDestructive: readonly string[],
): ToolRegistry {
  const specs = [...described, ...builtins.map((tool) => tool.spec)];
  const patterns = autoApprove.map(globToRegExp);
  const halting = alwaysDestructive.map(globToRegExp);
  const find = (name: string) => builtins.find((tool) => tool.spec.name === name);
  return {
    specs,
    async refusal(action) {
      if (action.kind === 'command') return undefined;
      const spec = specs.find((candidate) => candidate.name === action.name);
      if (!spec) return `no tool is called ${action.name}; there are: ${specs.map((s) => s.name).join(', ')}`;
      const args = parseArguments(action.arguments);
      if (!args) return `the arguments of ${action.name} are not a JSON object`;
      const { problemOf } = await import('./validator.ts');
      const problem = problemOf(spec, args);
      if (problem !== undefined) return `invalid arguments for ${action.name}: ${problem}`;
      return find(action.name) ? undefined : `${action.name} can't be called with these arguments`;
    },
    judge(action, cwd) {
      const tool = action.kind === 'tool' ? find(action.name) : undefined;
      if (action.kind !== 'tool' || !tool) return undefined;
      if (!halting.some((pattern) => pattern.test(action.name))) return tool.judge(action.arguments, cwd);
      return {
        destructive: true,
        reason: `${action.name} always asks (safety.always_destructive_tools)`,
        source: 'user-pattern',
      };
    },
    autoApproved(action) {
      const name = action.kind === 'command' ? 'bash' : action.name;
      return find(name)?.readOnly === true || patterns.some((pattern) => pattern.test(name));
    },
    async run(action, signal) {
      const tool = action.kind === 'tool' ? find(action.name) : undefined;
      const args = action.kind === 'tool' ? parseArguments(action.arguments) : undefined;
      if (!tool || !args) return { text: 'no such tool', failed: true };
      return tool.run(args, signal);
    },
  };
}

function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** `*` stands for any characters. */
function globToRegExp(glob: string): RegExp {
  const source = glob.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`);
}
