import type { App } from '../commands/app.ts';
import { type CompleteShell, completeLine } from '../commands/complete.ts';
import { type Config, placesOf, writeModelChoice } from '../config/index.ts';
import type { SafetyPort } from '../contracts/gate.ts';
import type { Broker } from '../contracts/models.ts';
import type { McpPort } from '../contracts/tools.ts';
import type { Engine } from '../engine/engine.ts';
import { ForegroundJob } from '../engine/foreground-job.ts';
import { ShellQueue } from '../engine/shell-queue.ts';
import { completeShell, editText, isIncomplete, type JobRegistry, type UserShell } from '../executor/index.ts';
import { classify, isAffirmation, knownWords, type PathIndex } from '../router/index.ts';
import { listRules } from '../safety/index.ts';
import { listSessions } from '../store/index.ts';
import type { PatchTool } from '../tools/index.ts';
import { keepAgentCommands } from './agent-history.ts';
import type { SessionChoice } from './choose-session.ts';
import { gitBranch } from './git-branch.ts';
import type { GlobalOptions } from './options.ts';
import { isUnasked, type Presets, UNASKED } from './presets.ts';
import { processEnvironment } from './process-environment.ts';

type Parts = {
  readonly options: { readonly version: string; readonly global: GlobalOptions };
  readonly config: Config;
  readonly engine: Engine;
  readonly broker: Broker;
  readonly check: SafetyPort['check'];
  readonly jobs: JobRegistry;
  readonly shell: Promise<UserShell>;
  readonly session: SessionChoice;
  readonly sessions: string;
  readonly history: App['history'];
  readonly memory: App['memory'];
  readonly cost: App['cost'];
  /** The executables on PATH, read once. */
  readonly index: PathIndex;
  readonly presets: Presets;
  readonly patch: PatchTool;
  readonly mcp: McpPort;
  readonly forms: App['forms'];
};

/** Names offered by Tab. */
const MOST_NAMES = 200;

function asksBack({ conversation }: Engine): boolean {
  const last = conversation.turns.at(-1);
  return last?.kind === 'assistant' && last.text.trimEnd().endsWith('?');
}

/** The one object for every face, over what was opened. */
export function face({
  options,
  config,
  engine,
  broker,
  check,
  jobs,
  shell,
  session,
  sessions,
  history,
  memory,
  cost,
  index,
  presets,
  patch,
  mcp,
  forms,
}: Parts): App {
  const quitters = new Set<() => void>();
  let up: UserShell | undefined;
  void shell.then(
    (ready) => {
      up = ready;
    },
    () => {},
  );
  const words = knownWords({ has: (word) => up?.knows(word) ?? false }, index);
  // A command may have installed something, or changed PATH.
  engine.onEvent((event) => {
    if (event.type === 'shellEnded') void index.refresh(up?.path.join(':'));
  });
  const shellCompletion: CompleteShell = (line, cursor, signal) =>
    completeShell(
      line,
      cursor,
      {
        cwd: engine.shellCwd,
        ask: async (question, end) => up?.complete(question, end),
        executables: (start) => index.startingWith(start, MOST_NAMES),
      },
      signal,
    );
  const aish: App = {
    engine,
    shell: new ShellQueue(engine, shell),
    front: new ForegroundJob(engine),
    classify(line) {
      const route = classify(line, words);
      // After a question of the model's a short yes is for the model.
      return !route.forced && isAffirmation(line) && asksBack(engine)
        ? { ...route, kind: 'ai', why: 'an answer' }
        : route;
    },
    incomplete: isIncomplete,
    complete: (line, cursor, signal) => completeLine(aish, line, cursor, signal, shellCompletion),
    async edit(text) {
      const env = (await up?.environment()) ?? processEnvironment();
      // It runs in the real terminal, not in the shell's.
      return editText(text, { env: { ...env, TERM: process.env.TERM ?? 'xterm' }, cwd: engine.shellCwd });
    },
    history,
    memory,
    cost,
    info() {
      const branch = gitBranch(engine.shellCwd);
      const { version } = options;
      return {
        ...(branch === undefined ? {} : { branch }),
        jobs: jobs.running().length,
        sandbox: engine.conversation.settings.sandbox,
        sessionId: session.id,
        version,
      };
    },
    presets: {
      list: () => broker.presets(),
      async probe(name, signal) {
        const info = broker.presets().find((preset) => preset.name === name);
        if (info && isUnasked(presets, info, engine.conversation.preset)) return UNASKED;
        const { reachable, detail, window = broker.window(name) } = await broker.probe(name, signal);
        return { reachable, detail, ...(window === undefined ? {} : { window }) };
      },
      keep(name) {
        const model = presets.found[name];
        if (!model) return `${name} was not found by itself; write it into the configuration by hand (docs/config.md)`;
        const path = placesOf(process.env).config;
        return writeModelChoice(path, name, model) ?? `${name} is kept in ${path}`;
      },
    },
    safety: { patterns: listRules, check },
    mcp,
    forms,
    undo: () => patch.undo(),
    sessions: () => listSessions(sessions),
    async doctor() {
      const lines: string[] = [];
      const { examine } = await import('./doctor.ts');
      await examine(options.global, (line) => lines.push(line));
      return lines;
    },
    ui: config.ui,
    face: {},
    keys: config.keys,
    onQuit(listener) {
      quitters.add(listener);
      return () => quitters.delete(listener);
    },
    quit() {
      for (const listener of quitters) listener();
    },
  };
  keepAgentCommands(engine, {
    history,
    classify: (line) => classify(line, words),
    remember: (command) => up?.remember(command),
  });
  return aish;
}
