/** The tools that a model may call: their descriptions, the check of their arguments, and their execution. */

import type { Jobs } from '../contracts/commands.ts';
import type { Judged, Preview } from '../contracts/gate.ts';
import type { ToolCallOptions, ToolOutcome, Tools } from '../contracts/tools.ts';
import type { Action, ToolFacts } from '../session/action.ts';
import type { ToolSpec } from '../session/message.ts';
import { isJsonObject, parseJsonObject } from '../text/json.ts';
import { matchesGlob } from '../text/matching.ts';
import { DELEGATION } from './builtin-specs.ts';

export type BuiltinTool = {
  readonly spec: ToolSpec;
  /** Changes nothing outside this program, so it needs no consent. */
  readonly readOnly: boolean;
  /** Judges what a call would lose. Only built-in tools have this function. */
  judge(argumentsJson: string, cwd: string): Judged;
  /** Returns the diff of the call now; undefined if it can't be made. */
  diffOf?(args: Readonly<Record<string, unknown>>, cwd: string): Promise<Preview | undefined>;
  /** Whether this call changes nothing at all, so that it may run in parallel. */
  onlyReads(args: Readonly<Record<string, unknown>>): boolean;
  run(args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolOutcome>;
};

/** Tools of MCP servers, which may appear, change and disappear. */
export type ForeignTools = {
  /** In an order that changes only with the tools. */
  readonly specs: readonly ToolSpec[];
  /** Tools that the user wants described, however many there are. */
  isEnabled(name: string): boolean;
  /** Resolves when the name's server is ready or has failed; at once for any other name. */
  arrived(name: string): Promise<void>;
  /** Returns why a call can't be accepted now; undefined if it can. */
  refusal(name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** Undefined for an unknown name. */
  facts(name: string): ToolFacts | undefined;
  /** Whether the user has declared it read-only; the server's claim does not count. */
  onlyReads(name: string): boolean;
  run(name: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolOutcome>;
};

/** How many tools are listed for a model that called an unknown one. */
const MAX_NAMES = 50;

/** Built-in tools change only with the program. */
const BUILT_IN: ToolFacts = { definition: 'built-in', claims: [], changed: false };

const NO_FOREIGN: ForeignTools = {
  specs: [],
  isEnabled: () => false,
  arrived: () => Promise.resolve(),
  refusal: () => Promise.resolve(undefined),
  facts: () => undefined,
  onlyReads: () => false,
  run: () => Promise.resolve({ text: 'no such tool', failed: true }),
};

/**
 * @param described tools that are only described here and run elsewhere (`bash`, `delegate`)
 * @param autoApprove globs of tool names
 * @param alwaysDestructive globs of tool names that always HALT (SF-6)
 * @param foreign tools of MCP servers; their names differ from those of built-in tools
 */
export function createTools(
  described: readonly ToolSpec[],
  builtins: readonly BuiltinTool[],
  autoApprove: readonly string[],
  alwaysDestructive: readonly string[],
  foreign: ForeignTools = NO_FOREIGN,
): Tools {
  const own = [...described, ...builtins.map((tool) => tool.spec)];
  const told = own.map((spec) => ({ ...spec, parameters: toldSchema(spec.parameters) }));
  const find = (name: string) => builtins.find((tool) => tool.spec.name === name);
  const factsOf = (name: string) => (find(name) ? BUILT_IN : foreign.facts(name));
  return {
    get specs() {
      return foreign.specs.length === 0 ? told : [...told, ...foreign.specs];
    },
    specsWithin(chars) {
      const taken = sharedSpecs(foreign, chars);
      const left = foreign.specs.flatMap((spec) => (taken.has(spec) ? [] : [spec.name]));
      return { specs: [...told, ...foreign.specs.filter((spec) => taken.has(spec))], left };
    },
    async refusal(action) {
      if (action.kind !== 'tool') return undefined;
      const { name } = action;
      const args = parseJsonObject(action.arguments || '{}');
      // A question that was open when the program closed is judged again before its server is ready.
      await foreign.arrived(name);
      if (foreign.facts(name)) return args ? foreign.refusal(name, args) : notAnObject(name);
      const spec = own.find((candidate) => candidate.name === name);
      if (!spec) return `no tool is called ${name}; there are: ${namesOf(this.specs)}`;
      if (!args) return notAnObject(name);
      const { problemOf } = await import('./validator.ts');
      const problem = problemOf(spec.parameters, args);
      if (problem !== undefined) return `invalid arguments for ${name}: ${problem}`;
      return find(name) ? undefined : `${name} can't be called with these arguments`;
    },
    judge(action, cwd) {
      if (action.kind === 'command') return undefined;
      const name = nameOf(action);
      if (action.kind === 'tool' && !find(name)) return undefined;
      if (matchesGlob(name, alwaysDestructive)) {
        const reason = `${name} always asks (safety.always_destructive_tools)`;
        return { destructive: true, reason, source: 'user-pattern' };
      }
      return action.kind === 'delegate' ? DELEGATION : find(name)?.judge(action.arguments, cwd);
    },
    async preview(action, cwd) {
      const args = action.kind === 'tool' ? parseJsonObject(action.arguments || '{}') : undefined;
      if (action.kind !== 'tool' || !args) return undefined;
      return find(action.name)
        ?.diffOf?.(args, cwd)
        .catch(() => undefined);
    },
    autoApproved(action) {
      const name = nameOf(action);
      if (find(name)?.readOnly === true) return true;
      // The user's glob was not written for a tool whose definition has changed.
      return matchesGlob(name, autoApprove) && factsOf(name)?.changed !== true;
    },
    facts: (action) => (action.kind === 'tool' ? factsOf(action.name) : undefined),
    onlyReads(action) {
      const args = action.kind === 'tool' ? parseJsonObject(action.arguments || '{}') : undefined;
      if (action.kind !== 'tool' || args === undefined) return false;
      return find(action.name)?.onlyReads(args) ?? foreign.onlyReads(action.name);
    },
    async run(action, options) {
      const args = action.kind === 'tool' ? parseJsonObject(action.arguments || '{}') : undefined;
      if (action.kind !== 'tool' || !args) return { text: 'no such tool', failed: true };
      const tool = find(action.name);
      return tool ? tool.run(args, options) : foreign.run(action.name, args, options);
    },
  };
}

/**
 * Divides `chars` equally among the servers, each in the order of its list; tools that the user enabled come first.
 */
function sharedSpecs(foreign: ForeignTools, chars: number): ReadonlySet<ToolSpec> {
  const taken = new Set<ToolSpec>();
  const used = new Map<string, number>();
  let left = chars;
  const take = (spec: ToolSpec, server: string, size: number) => {
    taken.add(spec);
    used.set(server, (used.get(server) ?? 0) + size);
    left -= size;
  };
  const sized = foreign.specs.map((spec) => {
    const [server = ''] = spec.name.split('__');
    return { spec, server, size: JSON.stringify(spec).length };
  });
  for (const { spec, server, size } of sized) if (foreign.isEnabled(spec.name)) take(spec, server, size);
  const waiting = new Map<string, typeof sized>();
  for (const one of sized) if (!taken.has(one.spec)) waiting.set(one.server, [...(waiting.get(one.server) ?? []), one]);
  const byUse = () => [...waiting].sort(([a], [b]) => (used.get(a) ?? 0) - (used.get(b) ?? 0)).at(0);
  for (let turn = byUse(); turn; turn = byUse()) {
    const [server, [next, ...more]] = turn;
    if (next === undefined || next.size > left) waiting.delete(server);
    else {
      take(next.spec, server, next.size);
      waiting.set(server, more);
    }
  }
  return taken;
}

/** Limits that only the check of a call needs: in each request they would cost bytes and teach a model nothing. */
const LIMITS = new Set(['additionalProperties', 'minLength', 'minimum', 'minItems', 'maxItems']);

function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  return isJsonObject(schema) ? toldSchema(schema) : schema;
}

function toldSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const told = Object.entries(schema).filter(([key]) => !LIMITS.has(key));
  return Object.fromEntries(told.map(([key, value]) => [key, withoutLimits(value)]));
}

function namesOf(specs: readonly ToolSpec[]): string {
  const names = specs.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = specs.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function notAnObject(name: string): string {
  return `the arguments of ${name} are not a JSON object`;
}

/** Returns the name that the user's globs are matched against. */
function nameOf(action: Action): string {
  switch (action.kind) {
    case 'command':
      return 'bash';
    case 'delegate':
      return 'delegate';
    case 'tool':
      return action.name;
  }
}

// The built-in `jobs` tool (TO-5): the model inspects and stops background jobs that it started.

const SPEC: ToolSpec = {
  name: 'jobs',
  description:
    'Your background jobs: without arguments lists them; id reads what one has printed since the last look; stop ends it.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'integer', minimum: 1 }, stop: { type: 'boolean' } },
    additionalProperties: false,
  },
};

/**
 * The model sees and stops only its own jobs.
 * @param hideEchoed replaces secrets of `command` in `text` by their handles
 */
export function jobsTool(jobs: Jobs, hideEchoed: (command: string, text: string) => string): BuiltinTool {
  const own = () => jobs.list().filter((job) => job.owner === 'model');

  function answer(id: unknown, stop: boolean): ToolOutcome {
    if (typeof id !== 'number') {
      const rows = own().map((job) => `${job.id}  ${job.result ? 'ended' : 'running'}  ${job.command}`);
      return { text: rows.join('\n') || 'no jobs', failed: false };
    }
    const job = own().find((candidate) => candidate.id === id);
    if (!job) return { text: `no job ${id}`, failed: true };
    const text = hideEchoed(job.command, jobs.readSince(id) ?? '');
    if (!stop) return { text: text || '(nothing new)', failed: false };
    return jobs.kill(id)
      ? { text: `${text}\n[stopping]`, failed: false }
      : { text: `job ${id} has ended`, failed: true };
  }

  return {
    spec: SPEC,
    readOnly: true,
    judge: () => ({ destructive: false, reason: 'its own background jobs only', source: 'static' }),
    onlyReads: ({ stop }) => stop !== true,
    run: ({ id, stop }) => Promise.resolve(answer(id, stop === true)),
  };
}
