/** `aish-tui guard`: prints the configuration that makes another agent ask the gate, and tests an installed one. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../cli/exit-codes.ts';
import type { Writer } from '../../cli/print.ts';
import { AGENTS, type Agent } from '../../knowledge/programs.ts';
import { asArray, isJsonObject, parseJson } from '../../text/json.ts';
import { visible } from '../../text/sanitize.ts';

/** The guard's full path with this Node: a PATH may contain another version. */
const GUARD_FILE = fileURLToPath(new URL('./aish-guard.mjs', import.meta.url));

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

function guardLine(agent: Agent, strict: boolean): string {
  return [quoted(process.execPath), quoted(GUARD_FILE), agent, ...(strict ? ['--strict'] : [])].join(' ');
}

type Setup = {
  /** The place for it, for people. */
  readonly into: string;
  /** Files and folders that may contain it: below the home directory, and below the working directory. */
  readonly places: readonly string[];
  /** Returns the configuration for the hook's command line. */
  readonly text: (line: string, argv: readonly string[]) => string;
  /** Returns a call as the agent would send it. */
  readonly call: (command: string, cwd: string) => unknown;
};

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const shellCall = (tool: string) => (command: string, cwd: string) => ({
  hook_event_name: 'PreToolUse',
  tool_name: tool,
  tool_input: { command },
  cwd,
});

const SETUPS: Readonly<Record<Agent, Setup>> = {
  'claude-code': {
    into: '~/.claude/settings.json, or .claude/settings.json of a project',
    places: ['.claude/settings.json', '.claude/settings.local.json'],
    // Without onFailure, a hook that can't start allows the command.
    text: (command) =>
      json({
        hooks: {
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 10, onFailure: 'block' }] }],
        },
      }),
    call: shellCall('Bash'),
  },
  codex: {
    into: '~/.codex/hooks.json; codex asks you to trust it',
    places: ['.codex/hooks.json'],
    text: (command) =>
      json({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 10 }] }] } }),
    call: shellCall('Bash'),
  },
  gemini: {
    into: '~/.gemini/settings.json, or .gemini/settings.json of a project',
    places: ['.gemini/settings.json'],
    // This agent's times are in milliseconds.
    text: (command) =>
      json({
        hooks: {
          BeforeTool: [{ matcher: 'run_shell_command', hooks: [{ type: 'command', command, timeout: 10_000 }] }],
        },
      }),
    call: shellCall('run_shell_command'),
  },
  copilot: {
    into: '.github/hooks/aish-guard.json of a project',
    places: ['.github/hooks'],
    text: (bash) => json({ version: 1, hooks: { preToolUse: [{ type: 'command', bash, timeoutSec: 10 }] } }),
    call: (command, cwd) => ({ toolName: 'bash', toolArgs: JSON.stringify({ command }), cwd }),
  },
  cursor: {
    into: '~/.cursor/hooks.json, or .cursor/hooks.json of a project',
    places: ['.cursor/hooks.json'],
    text: (command) => json({ version: 1, hooks: { beforeShellExecution: [{ command }] } }),
    call: (command, cwd) => ({ hook_event_name: 'beforeShellExecution', command, cwd }),
  },
  opencode: {
    into: '.opencode/plugin/aish-guard.js of a project, or ~/.config/opencode/plugin/aish-guard.js',
    places: ['.opencode/plugin', '.config/opencode/plugin'],
    text: (_line, argv) => `import { spawnSync } from 'node:child_process';

export const AishGuard = async ({ directory }) => ({
  'tool.execute.before': async (input, output) => {
    if (input.tool !== 'bash') return;
    const call = { tool_name: 'bash', tool_input: { command: output.args.command }, cwd: directory };
    const { stdout, status } = spawnSync(${commandOf(argv)}, { input: JSON.stringify(call), encoding: 'utf8', timeout: 10000 });
    if (status !== 0) throw new Error('aish-guard did not answer, so the command does not run');
    const answer = JSON.parse(stdout);
    if (answer.deny) throw new Error(answer.deny);
  },
});
`,
    call: (command, cwd) => ({ tool_name: 'bash', tool_input: { command }, cwd }),
  },
  pi: {
    into: '~/.pi/agent/extensions/aish-guard.ts',
    places: ['.pi/agent/extensions', '.pi/extensions'],
    text: (_line, argv) => `import { spawnSync } from 'node:child_process';

export default function (pi) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return;
    const call = { tool_name: 'bash', tool_input: { command: event.input.command }, cwd: ctx.cwd };
    const { stdout, status } = spawnSync(${commandOf(argv)}, { input: JSON.stringify(call), encoding: 'utf8', timeout: 10000 });
    if (status !== 0) return { block: true, reason: 'aish-guard did not answer, so the command does not run' };
    const answer = JSON.parse(stdout);
    if (answer.deny) return { block: true, reason: answer.deny };
    if (answer.ask && !(ctx.hasUI && (await ctx.ui.confirm('aish-guard', answer.ask)))) {
      return { block: true, reason: answer.ask };
    }
  });
}
`,
    call: (command, cwd) => ({ tool_name: 'bash', tool_input: { command }, cwd }),
  },
};

function commandOf([file = '', ...args]: readonly string[]): string {
  return `${JSON.stringify(file)}, ${JSON.stringify(args)}`;
}

/**
 * Prints for `aish-tui guard --for AGENT` which configuration to put where. Only the configuration goes to standard
 * output.
 */
export function printSetup(agent: Agent, strict: boolean, out: Writer, err: Writer): number {
  const { into, text } = SETUPS[agent];
  const argv = [process.execPath, GUARD_FILE, agent, ...(strict ? ['--strict'] : [])];
  out(text(guardLine(agent, strict), argv));
  err(`put this into ${into}; then check it with aish-tui guard doctor --for ${agent}\n`);
  return EXIT.ok;
}

/** A command that must be denied in any directory. It is never run. */
const PROBE = 'rm -rf /';

/** `aish-tui guard doctor`: sends a test call through each installed hook. Returns 0 if all of them deny it. */
export function guardDoctor(agent: Agent | undefined, out: Writer): number {
  let found = 0;
  let bad = 0;
  for (const one of agent === undefined ? AGENTS : [agent]) {
    for (const file of filesOf(SETUPS[one])) {
      const text = readFileSync(file, 'utf8');
      const lines = hookLines(text);
      if (lines.length === 0) continue;
      found += 1;
      const why = lines.map((line) => fault(line, one)).find((problem) => problem !== undefined);
      if (why !== undefined) bad += 1;
      out(
        `${why === undefined ? 'ok ' : 'NO '} ${one.padEnd(12)} ${visible(file)}${why === undefined ? '' : `: ${why}`}\n`,
      );
    }
  }
  if (found === 0) out(`NO  no hook that calls aish-guard was found${agent === undefined ? '' : ` for ${agent}`}\n`);
  return found > 0 && bad === 0 ? EXIT.ok : 1;
}

function filesOf({ places }: Setup): readonly string[] {
  const paths = [homedir(), process.cwd()].flatMap((base) => places.map((place) => join(base, place)));
  return [...new Set(paths)].flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return stats ? [path] : [];
    return readdirSync(path).map((name) => join(path, name));
  });
}

/** Returns the command lines in a file that call the guard: from a JSON file its strings, from a plugin its call. */
function hookLines(text: string): readonly string[] {
  const value = parseJson(text);
  if (value !== undefined) return textsIn(value).filter((line) => line.includes('aish-guard'));
  const call = /spawnSync\((".*?"), (\[.*?\]), /.exec(text);
  if (!call) return [];
  const args = parseJson(call[2] ?? '');
  const words = [parseJson(call[1] ?? ''), ...asArray(args)];
  return [words.map((word) => quoted(String(word))).join(' ')];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function fault(line: string, agent: Agent): string | undefined {
  const input = JSON.stringify(SETUPS[agent].call(PROBE, '/'));
  const { status, stdout, error } = spawnSync('/bin/sh', ['-c', line], { input, encoding: 'utf8', timeout: 10_000 });
  // A hook that answers without reading closes the pipe early.
  if (error && !/EPIPE/.test(error.message)) return `it did not answer (${error.message})`;
  if (status !== 0) return `it ended with ${status}: the agent would run the command`;
  return /"deny"/.test(stdout) ? undefined : 'it did not deny a test command';
}
