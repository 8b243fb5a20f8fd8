/** The composition root. First it connects the services to one bus; then it starts the engine and its subscribers. */
import { rmdir } from 'node:fs/promises';
import type { App } from '../commands/app.ts';
import { placesOf } from '../config/index.ts';
import { changesText } from '../contracts/undo.ts';
import { Engine } from '../engine/engine.ts';
import { Forms } from '../engine/forms.ts';
import { type Folded, foldInPieces } from '../engine/transcript.ts';
import { collectAbandoned } from '../executor/index.ts';
import { classify } from '../router/index.ts';
import type { Mode, OpId } from '../session/ids.ts';
import { NO_TREE } from '../session/mode.ts';
import { directoryAt, hostOf } from '../session/place.ts';
import { runningOf } from '../session/slots.ts';
import { type Log, pruneOutputs } from '../store/index.ts';
import { createApp } from './create-app.ts';
import { type Environment, loadEnvironment, type OpenOptions } from './environment.ts';
import { VERSION } from './options.ts';
import { pruneCaches } from './project-caches.ts';
import { type AppServices, createServices } from './services.ts';
import { SessionBus } from './session-bus.ts';
import { modeProblem, startMode, startSession } from './start-session.ts';
import { runKey } from './undo.ts';

/** The session id of the user's own conversation. */
const ROOT = 'main';

export type Opened = {
  readonly app: App /** Ends everything that the app started. Idempotent. */;
  close(): Promise<void>;
};

/** Opens a session. If that fails, the problem is one line for the user. */
export async function openApp(options: OpenOptions): Promise<Opened | { readonly problem: string }> {
  const loaded = await loadEnvironment(options);
  if ('problem' in loaded) return loaded;
  const { turn = () => Promise.resolve() } = options;
  await turn();
  // Fold the journal first: the services below may send events of their own.
  const folded = await foldInPieces(loaded.events, ROOT, turn);
  const { environment } = loaded;
  const mode = startMode(environment, folded.state.sessions[ROOT]?.mode);
  const problem = modeProblem(environment.sandbox, mode);
  if (problem === undefined || options.person) return assemble(environment, folded, mode);
  environment.session.lock.release();
  // rmdir removes only the empty folder of a new session; a resumed session's folder has files.
  await rmdir(environment.session.folder).catch(() => {});
  return { problem: `${problem}; --mode unrestricted runs without it` };
}

function assemble(environment: Environment, folded: Folded, mode: Mode): Opened {
  const bus = new SessionBus();
  const services = createServices(environment, bus);

  const engine = new Engine(services.services, ROOT, folded);
  const { columns, rows } = environment.options;
  engine.live.size = { columns, rows };
  const forms = new Forms(engine);
  bus.connect(engine, forms);

  const notices = startSession(bus, environment, services.costs.problem, mode);
  followSession(engine, environment, services, bus);
  // Tidying waits for the first frame. What can't be removed now is tried at the next start.
  setImmediate(() => void tidyDisk(environment, services.log).catch(() => {}));
  let closing: Promise<void> | undefined;
  return {
    app: createApp(environment, services, engine, forms, notices),
    close() {
      closing ??= Promise.all([engine.close(), services.mcp.close()]).then(() => services.close());
      return closing;
    },
  };
}

const BYTES_PER_MB = 1_000_000;

/** Removes old sessions beyond the disk budget, and temporary files of killed sessions (RE-7). */
async function tidyDisk({ config, sessions }: Environment, log: Log): Promise<void> {
  const { total_mb: total, caches_mb: caches, days } = config.disk;
  const folders = collectAbandoned();
  const bytes = await pruneOutputs(sessions, { totalBytes: total * BYTES_PER_MB, days }, Date.now());
  const cache = placesOf(process.env).cache;
  const cacheBytes = await pruneCaches(cache, { totalBytes: caches * BYTES_PER_MB, days }, Date.now());
  if (folders > 0 || bytes > 0 || cacheBytes > 0)
    log.write('info', 'disk tidied', { outputBytes: bytes, cacheBytes, temporaryFolders: folders });
}

// Subscribers to the session's events other than the screen: jobs, log, histories, the index of programs, MCP servers.

/** Subscribes all of them, once the session is open. */
function followSession(engine: Engine, { session, index }: Environment, services: AppServices, bus: SessionBus): void {
  const { jobs, log, shell, mcp } = services;
  jobs.onEnd(({ id, command, owner, result }) => {
    if (result) void engine.dispatch({ type: 'jobEnded', job: id, command, result, by: owner });
  });
  keepLog(log, engine, session.id);
  keepAgentCommands(engine, services);
  keepFacts(engine, services);
  tellChanges(engine, session.id, services);
  makeReady(engine, services);
  watchKeeping(engine, session.id, services, bus);
  tellNoTree(engine, bus);
  engine.onEvent(({ type }) => {
    // The command may have installed a program or changed PATH.
    if (type === 'shellEnded') void index.refresh(shell.current?.path.join(':'));
    if (type === 'shellMoved' || type === 'shellEnded') services.forgetPaths();
    if (type === 'shellMoved' || type === 'shellEnded') mcp.rootMoved();
  });
}

/** Lists at the end of a Norris run what the run has changed and the user can undo (EF-3). */
function tellChanges(engine: Engine, session: string, { undo }: Pick<AppServices, 'undo'>): void {
  let last: string | undefined;
  const tell = (run: string) => {
    const changes = undo.ofRun(run);
    if (changes === undefined) return;
    const text = changesText(changes, directoryAt(engine.shellCwd));
    void engine.dispatch({ type: 'noticed', level: 'info', text });
  };
  engine.onEvent(() => {
    const now = runKey(engine.conversation.phase, session);
    const ended = now === undefined ? last : undefined;
    last = now;
    if (ended === undefined) return;
    // Without a pending scan report immediately: a run without a screen ends the program.
    if (undo.looking) void undo.looking.then(() => tell(ended));
    else tell(ended);
  });
}

/** Warns in Project mode outside any project, because no command of the model can run without one. */
function tellNoTree(engine: Engine, bus: SessionBus): void {
  let last: Mode | undefined;
  const look = () => {
    const { mode } = engine.conversation;
    const taken = mode === 'project' && last !== mode;
    last = mode;
    if (!taken) return;
    void engine.services.projectTree?.(engine.shellCwd).then(
      (tree) => tree ?? bus.show(`${NO_TREE}; what the model would run is refused`),
      () => {},
    );
  };
  look();
  engine.onEvent(look);
}

/** Milliseconds to wait after a model request starts, so that the request gets the processor first. */
const BEHIND_THE_REQUEST_MS = 30;
/** Milliseconds after the start, when the screen and the shell are up. */
const IDLE_AFTER_START_MS = 700;

/**
 * Prepares the model's first action: some work at idle after the start, the companion processes with the first
 * request.
 */
function makeReady(engine: Engine, services: Pick<AppServices, 'makeReady' | 'startCompanions'>): void {
  const make = () => void services.makeReady(engine.conversation.mode, engine.shellCwd);
  const idle = setTimeout(make, IDLE_AFTER_START_MS).unref();
  const stop = engine.onEvent(() => {
    if (engine.conversation.phase.kind === 'idle') return;
    stop();
    clearTimeout(idle);
    const begin = () => {
      services.startCompanions(engine.conversation.mode, engine.shellCwd);
      make();
    };
    setTimeout(begin, BEHIND_THE_REQUEST_MS).unref();
  });
}

/** Checks whether changes can be undone as soon as the model runs its first command. */
function watchKeeping(engine: Engine, session: string, { undo, log }: AppServices, bus: SessionBus): void {
  const stop = engine.onEvent(({ type }) => {
    if (type !== 'actionStarted') return;
    stop();
    void undo.unavailable().then((why) => {
      if (why === undefined) return;
      bus.withoutUndo = true;
      log.write('warning', 'changes can not be undone', { session, why });
      engine.changed();
    });
  });
}

/**
 * Logs the opening, each change of mode (MO-1, MO-5), failed calls, warnings and errors.
 * @param session the id of the session on disk
 */
function keepLog(log: Log, engine: Engine, session: string): void {
  const { mode, preset, settings } = engine.conversation;
  const { sandbox } = settings;
  const facts = { session, version: VERSION, node: process.versions.node, mode, sandbox, preset };
  let told = false;
  const tellOpening = () => {
    if (told) return;
    told = true;
    log.write('info', 'session opened', facts);
    if (!sandbox) log.write('warning', 'no kernel sandbox', { session });
  };
  const write: Log['write'] = (...line) => {
    tellOpening();
    log.write(...line);
  };
  // After the first frame, since the secrets filter reads its sources when it sees the first line.
  setImmediate(tellOpening);
  let last = mode;
  engine.onEvent((event) => {
    const now = engine.conversation.mode;
    if (now !== last) write('info', 'mode changed', { session, from: last, to: now });
    last = now;
    if (event.type === 'replyEnded' && event.reply.failure)
      write('warning', 'model call failed', {
        session,
        preset: event.reply.preset,
        kind: event.reply.failure.kind,
      });
    if (event.type === 'noticed' && event.level !== 'info') write(event.level, event.text, { session });
  });
}

/** Records for each of the user's commands where and when it ran, and how it ended. */
function keepFacts(engine: Engine, { history, trees }: Pick<AppServices, 'history' | 'trees'>): void {
  const begun = new Map<string, { readonly line: string; readonly cwd: string; readonly at: number }>();
  engine.onEvent((event) => {
    if (event.type === 'shellStarted')
      begun.set(event.op, { line: event.line, cwd: engine.state.shell.cwd, at: engine.services.now() });
    if (event.type === 'shellStarted' && hostOf(engine.shellCwd) === undefined) trees.note(engine.shellCwd);
    if (event.type !== 'shellEnded') return;
    const known = begun.get(event.op);
    begun.delete(event.op);
    if (!known) return;
    const { line, ...rest } = known;
    const { exit } = event.result;
    history.ended(line, { ...rest, ...(exit === null ? {} : { exit }) });
  });
}

/**
 * Adds each command of the agent to the histories as it starts (EX-11): aish-tui's own and that of the user's shell.
 * Our own history shows the command as the user would type it, with a leading `!` where the prompt needs one. In the
 * shell's history the mark is a leading `:` command, which does nothing in every shell; a trailing comment could end
 * up inside a here-document.
 */
function keepAgentCommands(
  engine: Engine,
  { history, words, shell }: Pick<AppServices, 'history' | 'words' | 'shell'>,
): void {
  const begun = new Map<OpId, () => void>();
  /** Saves a line once its command has started: the launch must not wait for the history file. */
  const keep = (op: OpId) => {
    const write = begun.get(op);
    if (begun.delete(op) && write) setImmediate(write);
  };
  engine.subscribe(() => {
    for (const op of begun.keys()) if (engine.live.commands.has(op)) keep(op);
  });
  engine.onEvent((event) => {
    if (event.type !== 'actionStarted') {
      if ('op' in event) keep(event.op);
      return;
    }
    const phase = engine.state.sessions[event.session]?.phase;
    if (phase?.kind !== 'acting') return;
    const action = runningOf(phase).find(({ op }) => op === event.op)?.action;
    if (action?.kind !== 'command') return;
    const command = action.command.trim();
    if (command === '') return;
    begun.set(event.op, () => {
      const { kind, forced } = classify(command, words);
      history.addAgents(kind === 'shell' && !forced ? command : `!${command}`);
      shell.current?.remember(`: aish; ${command}`);
    });
  });
}
