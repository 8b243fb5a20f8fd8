/** What `:` commands and front ends see of the program, over what was opened. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { presetInfo, silenceOf } from '../broker/index.ts';
import type { App, ScreenPort } from '../commands/app.ts';
import { type CompleteShell, completeLine } from '../commands/complete.ts';
import { FleetDesk } from '../commands/fleet-desk.ts';
import { Waits } from '../commands/waits.ts';
import { placesOf, writeModelChoice } from '../config/index.ts';
import type { PresetsPort } from '../contracts/models.ts';
import type { Engine } from '../engine/engine.ts';
import type { Forms } from '../engine/forms.ts';
import { ForegroundJob, ShellQueue } from '../engine/shell-queue.ts';
import { completeShell, editText, isIncomplete, processEnvironment } from '../executor/index.ts';
import { classify, isAffirmation } from '../router/index.ts';
import { hostOf } from '../session/place.ts';
import { isLocked, journalPath, listSessions, oldSessions, readEnding, removeSessions } from '../store/index.ts';
import { makeDirectory } from '../text/files.ts';
import { rulesPort } from './allow-rules.ts';
import { lazyAttachments } from './attachments.ts';
import type { Environment } from './environment.ts';
import { gitBranch } from './git-branch.ts';
import { openInBrowser } from './open-address.ts';
import { isUnasked, UNASKED } from './presets.ts';
import type { AppServices } from './services.ts';
import { setupPort } from './setup.ts';
import { surroundings } from './surroundings.ts';

/** Programs on PATH offered by Tab. */
const MAX_OFFERED_PROGRAMS = 200;

export function createApp(
  environment: Environment,
  services: AppServices,
  engine: Engine,
  forms: Forms,
  notices: readonly string[],
): App {
  const { options, config, session, sessions, index } = environment;
  const { shell, hosts, front, here, words, history, jobs, memory, costs, safety, mcpPort, network, patch, undoPort } =
    services;
  const quitListeners = new Set<(code: number) => void>();
  let screen: ScreenPort | undefined;
  let next: App['sessions']['next'];
  const shellCompletion: CompleteShell = (line, cursor, signal) =>
    completeShell(
      line,
      cursor,
      {
        cwd: engine.shellCwd,
        ask: async (question, end) => {
          const facts = await front()?.complete(question, end);
          // Files and programs of this machine are nothing for a line that runs on a host.
          return hostOf(engine.shellCwd) === undefined ? facts : (facts ?? []);
        },
        executables: (start) => index.startingWith(start, MAX_OFFERED_PROGRAMS),
      },
      signal,
    );
  const leaveFor = (other: NonNullable<App['sessions']['next']>): string | undefined => {
    if (engine.conversation.phase.kind !== 'idle') return 'the model is at work: stop it first';
    if (app.shell.busy) return 'a command runs: end it first';
    if (app.fleet.run) return 'a fleet is at work: :fleet stop ends it';
    if (jobs.running().length > 0) return 'jobs are left, and would end: :jobs lists them';
    next = other;
    app.quit();
    return undefined;
  };
  const app: App = {
    engine,
    notices,
    shell: new ShellQueue(engine, () => hosts.front ?? shell.ready),
    front: new ForegroundJob(engine),
    waits: new Waits(() => engine.changed()),
    classify(line) {
      const route = classify(line, words);
      // After a question from the model, a short "yes" is an answer to it.
      return !route.forced && isAffirmation(line) && asksBack(engine)
        ? { ...route, kind: 'ai', why: 'an answer' }
        : route;
    },
    rememberRoute({ unsure, kind }) {
      if (unsure !== undefined && kind !== 'meta') services.choices.add(unsure, kind);
    },
    words: services.wordFacts,
    viKeys: () => front()?.state.vi ?? false,
    setTerminalFacts(facts) {
      shell.facts = facts;
    },
    ownSearch: (line, size, onData) => front()?.search(line, size, onData),
    incomplete: (line) => isIncomplete(line, front()?.program),
    complete: (line, cursor, signal) => completeLine(app, line, cursor, signal, shellCompletion),
    openAddress: (address) => openInBrowser(address, process.env),
    async edit(text) {
      const env = (await shell.current?.environment()) ?? processEnvironment();
      // It runs in the real terminal, not in the shell's.
      return editText(text, { env: { ...env, TERM: process.env.TERM ?? 'xterm' }, cwd: here() });
    },
    keepOutput: (text) => keepOutput(services.dataDir, text),
    async programs() {
      const env = (await shell.current?.environment()) ?? processEnvironment();
      return { pager: env.PAGER ?? 'less -R', editor: env.VISUAL ?? env.EDITOR ?? 'vi' };
    },
    saveOutput: (command, text, file) => saveOutput(here(), command, text, file),
    saveNew: (name, text) => saveNew(here(), name, text),
    history,
    attachments: lazyAttachments(() => app, services.dataDir),
    memory,
    cost: costs,
    info() {
      return {
        // Looks into files: only for who wants to know.
        get branch() {
          return hostOf(engine.shellCwd) === undefined ? gitBranch(engine.shellCwd) : undefined;
        },
        get surroundings() {
          return surroundings(front()?.state.env ?? {});
        },
        shellPrompt: config.ui.prompt === 'shell' ? (front()?.state.prompt ?? '') : '',
        jobs: jobs.running().length,
        sandbox: engine.conversation.settings.sandbox,
        unsaved: services.unsaved(),
        withoutOpinion: services.withoutOpinion(),
        withoutUndo: services.withoutUndo(),
        changed: services.changed(),
        sessionId: session.id,
        version: options.version,
      };
    },
    presets: presetsPort(environment, services, engine),
    setup: setupPort(environment),
    safety,
    rules: rulesPort({ ...environment, cwd: process.cwd() }),
    mcp: mcpPort,
    network,
    fleets: services.fleets,
    fleet: new FleetDesk(engine, services.fleets),
    hosts,
    forms,
    undo: undoPort,
    async changesTold() {
      await services.undo.looking;
    },
    patches: patch,
    sessions: {
      async list() {
        const all = await listSessions(sessions);
        const others = all.filter(({ id }) => id !== session.id);
        return others.map((each) => ({ ...each, open: isLocked(join(sessions, each.id)) }));
      },
      ending: (id) => readEnding(journalPath(sessions, id)),
      resume: ({ id, cwd }, fork) => leaveFor({ id, fork, cwd }),
      again: (model) => leaveFor({ id: session.id, fork: false, cwd: engine.shellCwd, model }),
      get next() {
        return next;
      },
      days: config.disk.days,
      old: () => oldSessions(sessions, config.disk.days, Date.now()),
      remove: (old) => removeSessions(sessions, old),
    },
    async doctor() {
      const lines: string[] = [];
      const { examine, examinedLine } = await import('./doctor.ts');
      await examine(options.global, (examined) => lines.push(examinedLine(examined)));
      return lines;
    },
    ui: config.ui,
    keys: config.keys,
    get screen() {
      return screen;
    },
    attachScreen(port) {
      screen = port;
      return () => {
        if (screen === port) screen = undefined;
      };
    },
    onQuit(listener) {
      quitListeners.add(listener);
      return () => quitListeners.delete(listener);
    },
    quit(code = 0) {
      for (const listener of quitListeners) listener(code);
    },
  };
  // Behind the end of its last line, which is part of the session.
  void shell.left.then(async (code) => {
    await app.shell.idle;
    app.quit(code);
  });
  return app;
}

function asksBack({ conversation }: Engine): boolean {
  const last = conversation.turns.at(-1);
  return last?.kind === 'assistant' && last.text.trimEnd().endsWith('?');
}

function presetsPort({ presets, config }: Environment, { broker }: AppServices, engine: Engine): PresetsPort {
  return {
    list: () => broker.presets(),
    async probe(name, signal) {
      const info = broker.presets().find((preset) => preset.name === name);
      if (info && isUnasked(presets, info, engine.conversation.preset)) return UNASKED;
      const { window = broker.window(name), ...probe } = await broker.probe(name, signal);
      return window === undefined ? probe : { ...probe, window };
    },
    async problem(name, signal) {
      const preset = presets.list.find((each) => each.name === name);
      if (!preset || !presetInfo(preset).local || config.models[name]?.serve !== undefined) return undefined;
      return silenceOf(preset, signal);
    },
    learnedWindow: (name) => broker.learnedWindow(name),
    forgetWindows: () => broker.forgetWindows(),
    keep(name) {
      const model = presets.found[name];
      if (!model)
        return `${name} was not detected automatically; write it into the configuration by hand (docs/config.md)`;
      const path = placesOf(process.env).config;
      return writeModelChoice(path, name, model) ?? `${name} is saved in ${path}`;
    },
  };
}

// What a command printed, saved by the user's wish.

/** Names tried before it is given up. */
const MAX_NAMES = 100;

/**
 * Writes a new file, 0600, named after the command; its path. Nothing that is there is written over.
 * @param file the full text, where only a part of it is at hand
 */
async function saveOutput(folder: string, command: string, text: string, file?: string): Promise<string> {
  const name = (/[\w.-]+/.exec(command)?.[0] ?? 'output').replace(/^[.-]+/, '') || 'output';
  for (let count = 1; count <= MAX_NAMES; count += 1) {
    const path = join(folder, count === 1 ? `${name}.out.txt` : `${name}.out.${count}.txt`);
    try {
      if (file === undefined) await writeFile(path, text === '' ? '' : `${text}\n`, { mode: 0o600, flag: 'wx' });
      else await copyFile(file, path, constants.COPYFILE_EXCL);
      return path;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`${name}.out.txt and its like are all there`);
}

/** Writes a new file, 0600, of this name; its path. Rejects with one line where it can't be made. */
async function saveNew(folder: string, name: string, text: string): Promise<string> {
  const path = resolve(folder, name);
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new Error(`${path} is there already`);
    throw error;
  }
}

/** Writes a text beside the session's full outputs, 0600; its path. */
async function keepOutput(folder: string, text: string): Promise<string> {
  const path = join(folder, `last-${randomBytes(6).toString('hex')}.txt`);
  makeDirectory(folder);
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}
