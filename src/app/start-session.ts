/** The first events of a session, new or resumed, and the first lines on screen. */
import { release, type } from 'node:os';
import { basename } from 'node:path';
import { type Config, ofDirectory } from '../config/index.ts';
import type { SandboxStatus } from '../effects/sandbox/index.ts';
import type { Engine } from '../engine/engine.ts';
import { reviewAgain } from '../engine/review.ts';
import type { Mode } from '../session/ids.ts';
import { modeName } from '../session/mode.ts';
import { SEMANTICS, type Settings, type Surroundings } from '../session/state.ts';
import { readBeginning } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';
import type { Environment } from './environment.ts';
import { gitBranch } from './git-branch.ts';
import type { GlobalOptions } from './options.ts';
import type { Presets } from './presets.ts';
import type { SessionBus } from './session-bus.ts';

/** The most bytes read of a system’s release file; none is that long. */
const MAX_RELEASE_BYTES = 4096;

/** The session's first mode. Only the default falls back to Unrestricted if nothing can enforce it (MO-1, MO-13). */
export function startMode({ options, config, modeAsked, sandbox, unread }: Environment, kept?: Mode): Mode {
  if (unread) return 'restricted';
  return options.global.mode ?? kept ?? (modeAsked || sandbox.available ? config.mode : 'unrestricted');
}

/** Why the model can't run anything in `mode` on this machine; undefined if it can. */
export function modeProblem({ available, why }: SandboxStatus, mode: Mode): string | undefined {
  if (available || mode === 'unrestricted') return undefined;
  return `no kernel sandbox here (${why}), so ${modeName(mode)} mode can't be enforced`;
}

/** Starts or resumes the session in the engine. Returns the lines that the user must see. */
export function startSession(
  bus: SessionBus,
  environment: Environment,
  costsProblem: string | undefined,
  mode: Mode,
): readonly string[] {
  const { options, config, presets, sandbox, session, notices, unread } = environment;
  const { engine } = bus;
  const settings = { ...settingsOf(environment), surroundings: surroundingsOf(environment) };
  const asked = unread ? mode : sandbox.available ? undefined : options.global.mode;
  if (session.seq > 0) resume(engine, settings, options.session.again, asked);
  else {
    const cwd = process.cwd();
    const branch = gitBranch(cwd);
    void engine.dispatch({ type: 'opened', cwd, mode, settings, ...(branch !== undefined && { branch }) });
  }
  if (session.seq > 0) applyFlags(engine, options.global, presets, sandbox);
  const all = [
    ...[...notices, costsProblem, disabledNotice(config)],
    ...[sandboxNotice(sandbox, engine.conversation.mode), projectNotice(sandbox)],
  ];
  const said = all.filter((text) => text !== undefined);
  for (const text of said) bus.show(text);
  // The full screen offers these as a list.
  return presets.notice === undefined ? said : [...said, presets.notice];
}

function resume(engine: Engine, settings: Settings, again: true | undefined, mode: Mode | undefined): void {
  void engine.dispatch({ type: 'resumed', settings, ...(again && { again }), ...(mode && { mode }) });
  void engine.dispatch({ type: 'shellMoved', cwd: process.cwd() });
  void reviewAgain(engine);
}

/** Applies the command line to a resumed session too, and replaces a preset that no longer exists. */
function applyFlags(engine: Engine, { mode, model }: GlobalOptions, presets: Presets, sandbox: SandboxStatus): void {
  if (mode !== undefined && sandbox.available && !engine.conversation.settings.unread)
    void engine.dispatch({ type: 'modeChosen', mode });
  const { preset } = engine.conversation;
  const known = presets.list.some(({ name }) => name === preset);
  // A user who has since connected a model no longer wants the demo.
  const outgrown = preset === 'demo' && presets.active !== 'demo';
  if (preset !== presets.active && (model !== undefined || !known || outgrown))
    void engine.dispatch({ type: 'presetChosen', preset: presets.active });
}

export function settingsOf({ config, presets, sandbox, options, unread }: Environment): Settings {
  const { executor, preplanner, tasks_max: tasksMax, task_models, approve_plan } = config.norris;
  const known = presets.list.some((preset) => preset.name === executor);
  const taskModels = task_models.filter((name) => presets.list.some((preset) => preset.name === name));
  const kept = ofDirectory(config.projects, process.cwd(), 'allow');
  return {
    preset: presets.active,
    ...(executor !== undefined && known ? { executorPreset: executor } : {}),
    maxTurns: config.max_turns,
    maxToolRounds: config.max_tool_rounds,
    maxNorrisSteps: config.norris.max_norris_steps,
    ...(preplanner === undefined ? {} : { preplanner }),
    tasksMax,
    ...(taskModels.length > 0 && { taskModels }),
    ...(approve_plan === 'ask' && { approvesPlan: true }),
    semantics: SEMANTICS,
    offers: true,
    confirmCmd: config.confirm_cmd,
    sandbox: sandbox.available,
    keepsMode: true,
    ...(options.alone && { alone: true }),
    ...(unread && { unread }),
    project: sandbox.available && sandbox.noProject === undefined,
    ...(sandbox.projectMissing === undefined ? {} : { projectMissing: sandbox.projectMissing }),
    readOnlyTools: config.mcp.read_only,
    approvedTools: config.auto_approve,
    ...(kept ? { allow: { tree: kept.tree, rules: kept.value } } : {}),
  };
}

/** Returns the facts about the machine that the model gets. */
function surroundingsOf({ config }: Environment): Surroundings {
  const shell = basename(config.shell ?? process.env.SHELL ?? 'sh');
  const system = [distribution(), `${type()} ${release()} ${process.arch}`].filter((name) => name !== undefined);
  return { system: system.join(', '), shell, date: new Date().toDateString() };
}

/** Returns `Debian GNU/Linux 13 (trixie)`; undefined if the system has no such name. */
function distribution(): string | undefined {
  try {
    const text = readBeginning('/etc/os-release', MAX_RELEASE_BYTES);
    const [, name = ''] = /^PRETTY_NAME="?([^"\n]{1,60})/m.exec(text) ?? [];
    return plainText(clean(name)) || undefined;
  } catch {
    return undefined;
  }
}

function disabledNotice({ safety }: Config): string | undefined {
  if (safety.disable_rules.length === 0) return undefined;
  return `turned off in the gate: ${safety.disable_rules.join(', ')} (safety.disable_rules)`;
}

/** Warns at the start that there is no kernel sandbox (MO-1); `doctor` names the missing parts. */
function sandboxNotice(sandbox: SandboxStatus, mode: Mode): string | undefined {
  if (sandbox.available) return undefined;
  const problem = modeProblem(sandbox, mode);
  return problem === undefined
    ? `no kernel sandbox here (${sandbox.why}); only Unrestricted mode is available`
    : `${problem}: the model can run nothing until you choose :mode unrestricted`;
}

/** Warns about a sandbox without a complete Project mode, which trials need too. */
function projectNotice({ available, noProject, projectMissing }: SandboxStatus): string | undefined {
  if (!available) return undefined;
  if (noProject !== undefined) return `no Project mode here, and nothing can be tried: ${noProject}`;
  return projectMissing && `Project mode is only partly enforced here (${projectMissing}); see docs/effects.md`;
}
