import { hiddenFrom, type Own, plainFiles, realFiles } from './files.ts';
import { ALWAYS_DESTRUCTIVE } from './gate.ts';
import { type JudgeOptions, judgeCommand, judgeWithFiles } from './judge.ts';
import { type Recovery, recoveryOf } from './recoverable.ts';
import { judgeTool } from './tool.ts';
import { type StaticVerdict, unknown } from './verdict.ts';

/** Options of the probe `aish-tui safety check`. */
export type ProbeOptions = {
  readonly strict?: boolean;
  /** Whether a command in Project has a private `/tmp` and can signal only its own processes. */
  readonly namespaces?: boolean;
  readonly rules?: Pick<JudgeOptions, 'userPatterns' | 'disabledRules'>;
  readonly alwaysDestructive?: readonly string[];
};

/**
 * Answers one line of `aish-tui safety check --jsonl` (CL-2): `{"cmd","cwd"?,"made"?,"tree"?,"mode"?,"id"?}` or
 * `{"tool","args","id"?}` in, `{"id"?,"verdict","rule","reason","findings"}` out. `made`: absolute paths of unchanged
 * files that the agent made; `tree`: `new` where the project appeared during a session; `mode`: `project` adds whether
 * the command needs no question there. Runs nothing, calls no model, never throws; an invalid line is `unknown`. With
 * `strict`, unknown counts as destructive.
 */
export async function checkLine(json: string, options: ProbeOptions = {}): Promise<string> {
  let id: unknown;
  let verdict: StaticVerdict;
  let recovery: Recovery | undefined;
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input !== 'object' || input === null) throw new TypeError('not an object');
    if ('id' in input) id = input.id;
    verdict = await judgeInput(input, options);
    recovery = await recoveryIn(input, verdict, options);
  } catch {
    verdict = unknown('not a valid line: {"cmd"} or {"tool","args"}');
  }
  const word = verdict.verdict === 'unknown' && options.strict ? 'destructive' : verdict.verdict;
  return JSON.stringify({
    ...(id === undefined ? {} : { id }),
    verdict: word,
    rule: verdict.rule ?? null,
    reason: verdict.reason,
    findings: recovery?.findings ?? verdict.findings,
    ...(recovery ? { recoverable: recovery.recoverable } : {}),
  });
}

/** Whether a line with `"mode": "project"` needs a question; its directory is the tree. */
async function recoveryIn(input: object, verdict: StaticVerdict, options: ProbeOptions): Promise<Recovery | undefined> {
  if (!('mode' in input) || input.mode !== 'project') return undefined;
  if (!('cmd' in input) || typeof input.cmd !== 'string' || !('cwd' in input) || typeof input.cwd !== 'string')
    return { recoverable: false, findings: verdict.findings };
  const place = { cwd: input.cwd, tree: input.cwd, namespaces: options.namespaces };
  return recoveryOf(input.cmd, verdict, place, ownOf(input, options));
}

function ownOf(input: object, { namespaces }: ProbeOptions): Own {
  const made = 'made' in input && Array.isArray(input.made) ? input.made : [];
  const own = plainFiles(made.filter((path) => typeof path === 'string'));
  if ('tree' in input && input.tree === 'new') Object.assign(own, { isNew: () => true });
  if (!('mode' in input) || input.mode !== 'project') return own;
  const hides = namespaces && 'cwd' in input && typeof input.cwd === 'string' ? hiddenFrom(input.cwd) : undefined;
  return Object.assign(own, { orNothing: true } as const, hides && { hides });
}

async function judgeInput(input: object, options: ProbeOptions): Promise<StaticVerdict> {
  const cwd = 'cwd' in input && typeof input.cwd === 'string' ? input.cwd : undefined;
  const look = { ...options.rules, ...(cwd === undefined ? {} : { cwd, files: realFiles() }) };
  if ('cmd' in input && typeof input.cmd === 'string') {
    return cwd === undefined
      ? judgeCommand(input.cmd, { ...look, own: ownOf(input, options) })
      : judgeWithFiles(input.cmd, { ...look, own: ownOf(input, options) });
  }
  if ('tool' in input && typeof input.tool === 'string') {
    const args = 'args' in input ? input.args : {};
    return judgeTool(input.tool, typeof args === 'string' ? args : JSON.stringify(args ?? {}), {
      alwaysDestructive: options.alwaysDestructive ?? ALWAYS_DESTRUCTIVE,
      ...look,
    });
  }
  return unknown('neither "cmd" nor "tool" is a text');
}
