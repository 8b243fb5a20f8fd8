/** The composition root: configuration → services → engine → the object that every face holds. */
import { join } from 'node:path';
import type { App } from '../commands/app.ts';
import { type Config, placesOf } from '../config/index.ts';
import { Engine } from '../engine/engine.ts';
import { Forms } from '../engine/forms.ts';
import { createJobs, killTagged } from '../executor/index.ts';
import { createGate } from '../safety/index.ts';
import { sandboxArgv } from '../sandbox/index.ts';
import { createLog, openHistory, openJournal, openMemory } from '../store/index.ts';
import { BASH, createTools, DELEGATE, jobsTool, MODE_UPGRADE, patchTool } from '../tools/index.ts';
import { face } from './create-app.ts';
import { type Ground, layGround, type OpenOptions } from './environment.ts';
import { keepTextIn } from './evicted-text.ts';
import { agentCommands, userCommands } from './executors.ts';
import { keepLog } from './keep-log.ts';
import { LAUNCHER } from './launcher.ts';
import { mcpDesk, openMcp } from './mcp.ts';
import { memoryBlock, memoryDesk } from './memory.ts';
import { openModels } from './models.ts';
import { createPreplanner } from './preplan.ts';
import type { Presets } from './presets.ts';
import { secondOpinion } from './second-opinion.ts';
import { engineSecrets, learnConfig, learnsEnvironment, processFilter } from './secrets.ts';
import { begin, notice } from './start-session.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';
import { bringUpShell } from './user-shell.ts';

export type Opened = { readonly aish: App /** Ends everything it started; twice is fine. */; close(): Promise<void> };

/** Opens a session. What can't go on is one line for the user. */
export async function openAish(options: OpenOptions): Promise<Opened | { readonly problem: string }> {
  const ground = await layGround(options);
  return 'problem' in ground ? ground : build(ground);
}

function build(ground: Ground): Opened {
  const { options, config, presets, sandbox, session, sessions, index } = ground;
  const state = placesOf(process.env).state;
  const dataDir = join(session.folder, 'output');
  const filter = processFilter();
  learnConfig(filter, config, process.env);
  const learned = learnsEnvironment(filter);
  const hidden = <T>(value: T) => filter.hide(value);
  const { broker, costs, stopServers } = openModels(ground, filter, () => engine);
  const jobs = createJobs();
  const shell = bringUpShell(ground, dataDir, {
    say: (text) => void engine.dispatch({ type: 'noticed', level: 'info', text }),
    moved: (cwd) => void engine.dispatch({ type: 'shellMoved', cwd }),
  });
  const journal = openJournal(session.journal, {
    seq: session.events.length,
    goodBytes: session.goodBytes,
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
    root: () => engine.shellCwd,
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
      user: userCommands({ shell, dataDir, size: () => engine.live.size }),
      jobs,
      tools: createTools(
        [BASH, DELEGATE, MODE_UPGRADE],
        [patch, jobsTool(jobs, (command, text) => filter.hideValuesOf(command, text))],
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
  begin(engine, ground, costs.problem);
  keepLog(createLog(state, hidden), engine, session.id);
  const aish = face({
    options,
    config,
    engine,
    broker,
    check: gate.check,
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

/** The preset for the second opinion; where it names nothing, the active one (SF-4). */
function opinionPreset(config: Config, presets: Presets, engine: Engine): string {
  const { llm_model: wanted } = config.safety;
  return presets.list.some((preset) => preset.name === wanted) ? wanted : engine.conversation.preset;
}
