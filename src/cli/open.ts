/** The composition root: configuration → services → engine → the object that every face holds. */
import { join } from 'node:path';
import { createBroker } from '../broker/index.ts';
import type { Aish } from '../commands/aish.ts';
import { type Config, createTrust, loadConfig, placesOf } from '../config/index.ts';
import { Engine } from '../engine/engine.ts';
import { Forms } from '../engine/forms.ts';
import { createJobs, killTagged, startUserShell, type UserShell } from '../executor/index.ts';
import { createPathIndex, type PathIndex } from '../router/index.ts';
import { createGate } from '../safety/index.ts';
import { detectSandbox, type SandboxStatus, sandboxArgv } from '../sandbox/index.ts';
import type { Mode } from '../session/ids.ts';
import type { Settings } from '../session/state.ts';
import { createLog, openHistory, openJournal, openMemory } from '../store/index.ts';
import { BASH, createTools, DELEGATE, jobsTool, MODE_UPGRADE, patchTool } from '../tools/index.ts';
import { fallbackNotices, presetNotices, projectNotice } from './config-notices.ts';
import { createCostMeter } from './costs.ts';
import { face } from './face.ts';
import { keepLog } from './keep-log.ts';
import { LAUNCHER } from './launcher.ts';
import { keepTextIn } from './left-out.ts';
import { mcpDesk, openMcp } from './mcp.ts';
import { memoryBlock, memoryDesk } from './memory.ts';
import { createPreplanner } from './preplan.ts';
import { choosePresets, type Presets } from './presets.ts';
import { processEnvironment } from './process-environment.ts';
import type { Global } from './program.ts';
import { secondOpinion } from './second-opinion.ts';
import {
  countingTrueTexts,
  engineSecrets,
  learnConfig,
  learnsEnvironment,
  preparedFor,
  processFilter,
} from './secrets.ts';
import { serveCommands, serving } from './serve.ts';
import { agentCommands, engineJobs, modelJobs, userJob } from './services.ts';
import { chooseSession, type SessionChoice } from './session.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';

export type OpenOptions = {
  readonly global: Global;
  readonly resume?: string | true;
  readonly version: string;
  /** The size of the user's terminal. */
  readonly columns: number;
  readonly rows: number;
};

export type Opened = { readonly aish: Aish /** Ends everything it started; twice is fine. */; close(): Promise<void> };

/** Opens a session. What can't go on is one line for the user. */
export async function openAish(options: OpenOptions): Promise<Opened | { readonly problem: string }> {
  const { env } = process;
  const trust = createTrust(placesOf(env).state);
  const loaded = await loadConfig(options.global.config, env, { cwd: process.cwd(), trust });
  if (!loaded.ok) return { problem: loaded.message };
  const { config } = loaded;
  const index = createPathIndex(env.PATH ?? '');
  const [presets, sandbox] = await Promise.all([
    choosePresets(config, env, options.global.model),
    detectSandbox({ launcher: LAUNCHER }),
    index.refresh(),
  ]);
  const names = presets.list.map((preset) => preset.name);
  if (!names.includes(presets.active)) {
    return { problem: `no preset is called ${presets.active}; there are: ${names.join(', ')}` };
  }
  const sessions = join(placesOf(env).state, 'sessions');
  const session = await chooseSession(sessions, options.resume, Date.now());
  if ('problem' in session) return session;
  const notices = [
    ...loaded.notices,
    ...projectNotice(loaded),
    ...presetNotices(config, names, presets.active),
    ...fallbackNotices(presets.list),
  ];
  const configFile = loaded.file ?? placesOf(env).config;
  return build({ options, config, configFile, notices, presets, sandbox, session, sessions, index });
}

type Ground = {
  readonly options: OpenOptions;
  readonly config: Config;
  readonly configFile: string;
  readonly notices: readonly string[];
  readonly presets: Presets;
  readonly sandbox: SandboxStatus;
  readonly session: SessionChoice;
  readonly sessions: string;
  readonly index: PathIndex;
};

function build({ options, config, configFile, notices, presets, sandbox, session, sessions, index }: Ground): Opened {
  const state = placesOf(process.env).state;
  const dataDir = join(session.folder, 'output');
  const filter = processFilter();
  learnConfig(filter, config, process.env);
  const learned = learnsEnvironment(filter);
  const hidden = <T>(value: T) => filter.hide(value);
  const unserved = createBroker({
    presets: presets.list,
    prepare: (name, messages) => {
      const refused = costs.refusal(name);
      const preset = presets.list.find((candidate) => candidate.name === name);
      if (refused !== undefined) return { refused };
      return preset ? preparedFor(filter, preset, messages) : { refused: `there is no preset called ${name}` };
    },
  });
  const costs = createCostMeter({
    config,
    configFile,
    stateDir: state,
    session: session.id,
    engine: () => engine,
    presets: () => unserved.presets(),
  });
  const { broker, stop: stopServers } = serving(
    countingTrueTexts(costs.metered(unserved), filter, presets.list),
    serveCommands(config.models),
    (name) => join(state, `serve-${name.replace(/\W/g, '_')}.log`),
    (text) => void engine.dispatch({ type: 'noticed', level: 'info', text }),
  );
  const jobs = createJobs();
  const shell = bringUpShell(options, config, dataDir, {
    say: (text) => void engine.dispatch({ type: 'noticed', level: 'info', text }),
    moved: (cwd) => void engine.dispatch({ type: 'shellMoved', cwd }),
  });
  const journal = openJournal(session.journal, {
    seq: session.events.length,
    onFailure: (why) =>
      engine.showLocal(notice(`the session can't be saved (${why}); nothing of the model will run until it can`)),
  });
  const gate = createGate({
    enabled: config.safety.llm_second_opinion,
    secondOpinion: secondOpinion(broker, () => opinionPreset(config, presets, engine)),
    userPatterns: config.safety.destructive_patterns,
    disabledRules: config.safety.disable_rules,
    alwaysDestructive: config.safety.always_destructive_tools,
    annotations: (tool) => mcp.annotations(tool),
    ...(sandbox.available ? { wrap: (argv: readonly string[]) => sandboxArgv({ launcher: LAUNCHER, argv }) } : {}),
  });
  const memoryFile = openMemory(join(state, 'memory.jsonl'), hidden);
  const told = config.memory.enabled ? memoryBlock(memoryFile, process.cwd(), session.id) : '';
  const mcp = openMcp(config, {
    dataDir,
    version: options.version,
    root: () => engine.state.shell.cwd,
    say: (level, text) => engine.showLocal(notice(text, level)),
    elicit: (form, signal) => forms.ask(form, signal),
  });
  const patch = patchTool();
  const engine = new Engine(
    {
      models: broker,
      gate,
      preplanner: createPreplanner(broker, config.norris.preplan_system),
      spending: costs.spending,
      agent: agentCommands({
        environment: async () => learned(await (await shell).environment()),
        dataDir,
        size: () => engine.live.size,
        ...(sandbox.available ? { launcher: LAUNCHER } : {}),
        light: config.sandbox.unrestricted === 'light',
      }),
      jobs: engineJobs(jobs, (command) => userJob(command, { shell, dataDir, size: () => engine.live.size })),
      tools: createTools(
        [BASH, DELEGATE, MODE_UPGRADE],
        [patch, jobsTool(modelJobs(jobs))],
        config.auto_approve,
        config.safety.always_destructive_tools,
        mcp,
      ),
      journal,
      secrets: engineSecrets(filter, config),
      systemPrompt: (config.system_prompt ?? SYSTEM_PROMPT) + told,
      maxAnswerTokens: config.max_answer_tokens,
      ...(config.token_budget === undefined ? {} : { tokenBudget: config.token_budget }),
      keepText: keepTextIn(dataDir),
      now: Date.now,
      waitSeconds: config.wait_seconds,
    },
    'main',
  );
  engine.live.size = { columns: options.columns, rows: options.rows };
  const forms = new Forms(engine);
  jobs.onEnd((job) => {
    if (job.result)
      void engine.dispatch({ type: 'jobEnded', job: job.id, command: job.command, result: job.result, by: job.owner });
  });
  begin(engine, session, settingsOf(config, presets, sandbox), options.global.mode ?? config.mode);
  keepLog(createLog(state, hidden), engine, session.id);
  if (session.events.length > 0) applyFlags(engine, options.global, presets);
  for (const text of [...notices, costs.problem, presets.notice, disabledNotice(config), sandboxNotice(sandbox)]) {
    if (text !== undefined) engine.showLocal(notice(text));
  }
  const aish = face({
    options,
    config,
    engine,
    broker,
    gate,
    jobs,
    shell,
    session,
    sessions,
    cost: costs,
    memory: memoryDesk(memoryFile, broker, config.memory.enabled, () => {
      const { turns, preset, cwd } = engine.conversation;
      return { session: session.id, preset: config.memory.model ?? preset, cwd, turns };
    }),
    history: openHistory(join(state, 'history'), hidden),
    index,
    presets,
    patch,
    mcp: mcpDesk(config, mcp),
    forms,
  });
  engine.onEvent(({ type }) => {
    if (type === 'shellMoved' || type === 'shellEnded') mcp.rootMoved();
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([engine.close(), mcp.close()]);
    await Promise.all([jobs.dispose(), stopServers()]);
    killTagged();
    await (await shell.catch(() => undefined))?.dispose();
    await journal.close();
    costs.close();
    session.lock.release();
  };
  return {
    aish,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type ShellEars = { say(text: string): void; moved(cwd: string): void };

/** Starts in the background: the first frame does not wait for rc files. */
function bringUpShell(options: OpenOptions, config: Config, dataDir: string, ears: ShellEars): Promise<UserShell> {
  const env = processEnvironment();
  const shell = startUserShell({
    ...(config.shell === undefined ? {} : { shell: config.shell }),
    cwd: process.cwd(),
    env,
    cols: options.columns,
    rows: options.rows,
    dataDir,
    onExit: ({ message }) => ears.say(message),
    onMove: (cwd) => ears.moved(cwd),
    onIdleOutput: (text) => ears.say(text.trimEnd()),
  });
  // Whoever uses it is told; until then a failure is no unhandled one.
  shell.catch(() => {});
  return shell;
}

function begin(engine: Engine, session: SessionChoice, settings: Settings, mode: Mode): void {
  if (session.events.length === 0) {
    void engine.dispatch({ type: 'opened', cwd: process.cwd(), mode, settings });
    return;
  }
  engine.replay(session.events);
  void engine.dispatch({ type: 'resumed', settings });
  void engine.dispatch({ type: 'shellMoved', cwd: process.cwd() });
}

/** What the command line asks for holds for a resumed session as well; a preset that is gone gives way. */
function applyFlags(engine: Engine, { mode, model }: Global, presets: Presets): void {
  if (mode !== undefined) void engine.dispatch({ type: 'modeChosen', mode });
  const { preset } = engine.conversation;
  const known = presets.list.some(({ name }) => name === preset);
  if (model !== undefined || !known) void engine.dispatch({ type: 'presetChosen', preset: presets.active });
}

function settingsOf(config: Config, presets: Presets, sandbox: SandboxStatus): Settings {
  const { executor, preplanner, tasks_max: tasksMax } = config.norris;
  const known = presets.list.some((preset) => preset.name === executor);
  return {
    preset: presets.active,
    ...(executor !== undefined && known ? { executorPreset: executor } : {}),
    maxTurns: config.max_turns,
    maxToolRounds: config.max_tool_rounds,
    maxNorrisSteps: config.norris.max_norris_steps,
    ...(preplanner === undefined ? {} : { preplanner }),
    tasksMax,
    confirmCmd: config.confirm_cmd,
    sandbox: sandbox.available,
    readOnlyTools: config.mcp.read_only,
  };
}

/** The preset for the second opinion; where it names nothing, the active one (SF-4). */
function opinionPreset(config: Config, presets: Presets, engine: Engine): string {
  const { llm_model: wanted } = config.safety;
  return presets.list.some((preset) => preset.name === wanted) ? wanted : engine.conversation.preset;
}

function disabledNotice({ safety }: Config): string | undefined {
  if (safety.disable_rules.length === 0) return undefined;
  return `switched off in the gate: ${safety.disable_rules.join(', ')} (safety.disable_rules)`;
}

/** Start says when nothing of the kernel protects the user (MO-1); parts that are missing are named by doctor. */
function sandboxNotice({ available, why }: SandboxStatus): string | undefined {
  return available ? undefined : `no kernel sandbox here (${why}); only Unrestricted mode exists`;
}

let noticeSerial = 0;

function notice(text: string, level: 'info' | 'warning' = 'warning') {
  noticeSerial += 1;
  return { kind: 'show', key: `local${noticeSerial}`, entry: { kind: 'notice', level, text } } as const;
}
