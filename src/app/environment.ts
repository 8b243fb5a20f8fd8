/** What a session depends on, determined before anything is started: configuration, models, sandbox, which session. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fallbacksOf, type Preset } from '../broker/index.ts';
import {
  type Config,
  createTrust,
  type Instructions,
  type Loaded,
  loadConfig,
  placesOf,
  readInstructions,
} from '../config/index.ts';
import type { SessionSummary } from '../contracts/store.ts';
import { detectSandbox, findLauncher, type SandboxStatus } from '../effects/sandbox/index.ts';
import { createPathIndex, type PathIndex } from '../router/index.ts';
import { listRules } from '../safety/index.ts';
import type { SessionEvent } from '../session/event.ts';
import {
  FIRST_IS_DAMAGED,
  journalPath,
  type Lock,
  lockSession,
  openJournal,
  type ReadJournal,
  readJournal,
  sessionsByAge,
} from '../store/index.ts';
import { shortPath } from '../text/display.ts';
import { messageOf } from '../text/errors.ts';
import { nearest } from '../text/matching.ts';
import { visible } from '../text/sanitize.ts';
import type { GlobalOptions, SessionWish } from './options.ts';
import { choosePresets, type Presets } from './presets.ts';

export type OpenOptions = {
  readonly global: GlobalOptions;
  readonly session: SessionWish;
  readonly version: string;
  /** The size of the user's terminal. */
  readonly columns: number;
  readonly rows: number;
  /** Lets pending keys through between two pieces of work. */
  readonly turn?: () => Promise<void>;
  /** Somebody is there to choose another mode, where the one asked for can't be enforced. */
  readonly person?: true;
  /** Nobody is there at all, and the program ends with its work. */
  readonly alone?: true;
};

export type Environment = {
  readonly options: OpenOptions;
  readonly config: Config;
  /** Somebody set the mode in a file; otherwise it is the default. */
  readonly modeAsked: boolean;
  readonly configFile: string;
  readonly notices: readonly string[];
  /** What protects the user and can't be read: the model runs nothing until that is mended or waived. */
  readonly unread?: readonly string[];
  /** What the project tells every agent, where it is trusted and wanted. */
  readonly instructions?: Instructions;
  readonly presets: Presets;
  readonly sandbox: SandboxStatus;
  readonly session: Omit<SessionChoice, 'events'> & {
    /** How many events the journal holds: none for a new session. */
    readonly seq: number;
  };
  readonly sessions: string;
  readonly index: PathIndex;
};

/**
 * Only reads; starts nothing. A problem that prevents a session is one line for the user.
 * The events of a resumed session stand beside it: nobody needs them once they are folded.
 */
export async function loadEnvironment(
  options: OpenOptions,
): Promise<
  { readonly environment: Environment; readonly events: readonly SessionEvent[] } | { readonly problem: string }
> {
  const { env } = process;
  const trust = createTrust(placesOf(env).state);
  const read = await loadConfig(options.global.config, env, { cwd: process.cwd(), trust });
  if (!read.ok && !options.person) return { problem: read.message };
  const loaded = read.ok ? read : read.rest;
  const config = withLimits(loaded.config, options.global);
  const instructions = config.instructions ? await readInstructions(env, { cwd: process.cwd(), trust }) : undefined;
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
  const choice = await chooseSession(options.session, {
    ...{ sessionsDir: sessions, now: Date.now(), cwd: process.cwd() },
    ...(options.turn ? { turn: options.turn } : {}),
  });
  if ('problem' in choice) return choice;
  const { events, ...chosen } = choice;
  const session = { ...chosen, seq: events.length };
  const notices = [
    ...session.notices,
    ...(read.ok ? [] : mistakeNotices(read)),
    ...loaded.notices,
    ...trustNotices(loaded, instructions),
    ...nameNotices(config, presets),
    ...fallbackNotices(presets.list),
  ];
  const configFile = loaded.file ?? placesOf(env).config;
  const used = instructions?.trusted ? { instructions } : {};
  const { modeAsked, unread } = loaded;
  const settled = { options, config, modeAsked, configFile, notices, ...used, ...(unread && { unread }) };
  const environment = { ...settled, presets, sandbox, session, sessions, index };
  return { environment, events };
}

/** Every mistake of the configuration, what holds in spite of them, and what to do. */
function mistakeNotices({ mistakes, rest: { unread } }: Extract<Loaded, { ok: false }>): readonly string[] {
  const held =
    unread && `the model can run nothing while ${unread.join(', ')} can't be read; :mode unrestricted waives that`;
  const fix = 'aish-tui config edit mends it, and the next start reads it';
  return [...mistakes, `what is wrong there was left out: ${fix}`, ...(held ? [held] : [])];
}

/** The limits of the command line over the configuration's. */
function withLimits(config: Config, { maxSteps, maxDollars }: GlobalOptions): Config {
  const norris = maxSteps === undefined ? config.norris : { ...config.norris, max_norris_steps: maxSteps };
  const cost = maxDollars === undefined ? config.cost : { ...config.cost, stop_at_dollars: maxDollars };
  return { ...config, norris, cost };
}

/** What of the project waits for the user's trust, and what its instructions take of the context. */
function trustNotices({ project }: Extract<Loaded, { ok: true }>, told: Instructions | undefined): readonly string[] {
  const waits = (project?.waiting.length ?? 0) > 0 || told?.trusted === false;
  return [
    ...(told ? [instructionsNotice(told)] : []),
    ...(waits ? ['read it, then trust it with aish-tui config trust'] : []),
  ];
}

function instructionsNotice({ path, trusted, characters, omitted }: Instructions): string {
  if (!trusted) return `${path} is not trusted; ignored`;
  const cut = omitted > 0 ? `, its last ${omitted} left out` : '';
  return `${path} is part of the system prompt: ${characters} characters, about ${Math.ceil(characters / 4)} tokens${cut}`;
}

/** Names in the configuration that name nothing: said at every start, and by doctor. */
export function nameNotices(config: Config, { list, active }: Pick<Presets, 'list' | 'active'>): readonly string[] {
  const names = list.map(({ name }) => name);
  return [...presetNotices(config, names, active), ...ruleNotices(config)];
}

/** Presets that the configuration names but does not define, and what is used instead (PP-2, SF-4). */
function presetNotices({ norris, safety }: Config, names: readonly string[], active: string): readonly string[] {
  const { executor } = norris;
  const opinion = safety.llm_second_opinion && active !== 'demo' && !names.includes(safety.llm_model);
  return [
    ...(executor !== undefined && !names.includes(executor)
      ? [`norris.executor: no preset is called ${executor}; ${active} is used`]
      : []),
    ...(opinion
      ? [`safety.llm_model: no preset is called ${safety.llm_model}; the active one gives the second opinion`]
      : []),
  ];
}

/** A name in disable_rules that matches no rule disables nothing. */
function ruleNotices({ safety }: Config): readonly string[] {
  const names = listRules().map(({ name }) => name);
  const unknown = safety.disable_rules.filter((name) => !names.includes(name));
  return unknown.map((name) => {
    const guess = nearest(name, names);
    return `safety.disable_rules: no rule is called ${name}${guess ? `; did you mean ${guess}?` : ''}`;
  });
}

/** A remote fallback with a weaker secrets policy than its preset is not used (BR-4); the user learns it at start. */
function fallbackNotices(presets: readonly Preset[]): readonly string[] {
  const byName = new Map(presets.map((preset) => [preset.name, preset]));
  return presets.flatMap((preset) =>
    fallbacksOf(preset, byName, true).barred.map(
      (other) =>
        `models.${preset.name}.fallback: ${other} is remote and its "secrets" policy is weaker than that of ${preset.name}; it is not used`,
    ),
  );
}

/** The kernel sandbox's launcher for this machine. */
export const LAUNCHER = findLauncher(import.meta.url);

// Which session this is: a new one, an earlier one that is resumed, or a copy of one.

type SessionChoice = {
  readonly id: string;
  readonly folder: string;
  readonly journal: string;
  readonly lock: Lock;
  /** What the journal holds; empty for a new session. */
  readonly events: readonly SessionEvent[];
  /** Their size in the journal file, in bytes. */
  readonly goodBytes: number;
  /** What the user must be told about it. */
  readonly notices: readonly string[];
};

type Refused = { readonly problem: string };

type Circumstances = {
  readonly sessionsDir: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Where the program was started. */
  readonly cwd: string;
  /** Lets pending keys through between two pieces of work. */
  readonly turn?: () => Promise<void>;
};

/** Sessions of other directories that are tried where this one has none. */
const MAX_ELSEWHERE = 50;

/**
 * A failure is one line with what to do. Without an id it is the one left last of those that began in this directory;
 * where there is none, of all, which is said.
 */
export async function chooseSession(
  { resume, fork = false }: SessionWish,
  circumstances: Circumstances,
): Promise<SessionChoice | Refused> {
  if (resume === undefined) return newSession([], [], circumstances);
  if (resume !== true) return take(resume, fork, circumstances);
  const passedOver: string[] = [];
  for await (const { id, cwd } of byNearness(circumstances)) {
    const choice = await take(id, fork, circumstances);
    if ('problem' in choice) passedOver.push(`skipped: ${choice.problem}`);
    else {
      const elsewhere = `no session of this directory can be resumed: this is the last one, of ${shortPath(visible(cwd))}`;
      const where = cwd === circumstances.cwd || cwd === '' ? [] : [elsewhere];
      return { ...choice, notices: [...passedOver, ...where, ...choice.notices] };
    }
  }
  const why = passedOver.length > 0 ? `; ${passedOver.join('; ')}` : '';
  return { problem: `there is no session to resume; start without --resume${why}` };
}

/** Those of this directory, then the others; each the last left first. */
async function* byNearness({ sessionsDir, cwd }: Circumstances): AsyncGenerator<SessionSummary> {
  const elsewhere: SessionSummary[] = [];
  for await (const session of sessionsByAge(sessionsDir)) {
    // One that can't be read may be of this directory: it is tried, and named.
    if (session.cwd === cwd || session.cwd === '') yield session;
    else if (elsewhere.length < MAX_ELSEWHERE) elsewhere.push(session);
  }
  yield* elsewhere;
}

/** One session by its id: the session itself, or a copy if one was requested or nothing else is possible. */
async function take(id: string, fork: boolean, circumstances: Circumstances): Promise<SessionChoice | Refused> {
  const { sessionsDir, turn } = circumstances;
  if (!/^[\w-]+$/.test(id)) return { problem: `${id} is not a session id; aish-tui sessions lists them` };
  const journal = journalPath(sessionsDir, id);
  const missing = { problem: `no session ${id}; aish-tui sessions lists them` };
  if (!existsSync(journal)) return missing;
  const folder = dirname(journal);
  if (fork) {
    const read = await readJournal(journal, turn);
    return refusalOf(read, id) ?? newSession(read.events, [`this is a copy of session ${id}`], circumstances);
  }
  // Take the lock first: another program that is just closing may still write.
  const lock = lockSession(folder);
  if ('heldBy' in lock) {
    const problem = `session ${id} is open in process ${lock.heldBy}; close it there first, or take a copy with --fork`;
    return { problem };
  }
  const read = await readJournal(journal, turn);
  const { events, goodBytes, tornBytes, damage } = read;
  const refused = refusalOf(read, id);
  if (!refused && damage === undefined) {
    const notices = tornBytes > 0 ? [`the journal's last ${tornBytes} bytes were torn and have been cut off`] : [];
    return { id, folder, journal, lock, events, goodBytes, notices };
  }
  lock.release();
  if (refused) return refused;
  const rest = damage === FIRST_IS_DAMAGED ? 'what stands behind it' : `the ${events.length} events before that`;
  const what = `the journal of session ${id} is damaged (${damage}): this is a copy of ${rest}`;
  return newSession(events, [what], circumstances);
}

function refusalOf({ problem, newer, events }: ReadJournal, id: string): Refused | undefined {
  if (problem !== undefined) return { problem: `session ${id} can't be read: ${problem}` };
  if (newer) return { problem: `session ${id} was written by a newer aish-tui; use that one` };
  return events.length === 0 ? { problem: `nothing of session ${id} can be read` } : undefined;
}

/** A new session that begins with these events. */
async function newSession(
  events: readonly SessionEvent[],
  notices: readonly string[],
  { sessionsDir, now, turn }: Circumstances,
): Promise<SessionChoice | Refused> {
  const id = newId(now);
  const journal = journalPath(sessionsDir, id);
  const folder = dirname(journal);
  const lock = lockSession(folder);
  if ('heldBy' in lock) return { problem: `session ${id} is open in process ${lock.heldBy}; try again` };
  if (events.length === 0) return { id, folder, journal, lock, events, goodBytes: 0, notices };
  const copy = openJournal(journal, { seq: 0, onFailure: () => {} });
  try {
    await Promise.all(events.map((event) => copy.append(event)));
  } catch (error) {
    lock.release();
    return { problem: `the copy can't be written: ${messageOf(error)}` };
  } finally {
    await copy.close();
  }
  const { goodBytes } = await readJournal(journal, turn);
  return { id, folder, journal, lock, events, goodBytes, notices };
}

/** Readable and sortable: day, time, a few random letters. */
function newId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day}-${time.slice(0, 5).replace(':', '')}-${randomBytes(2).toString('hex')}`;
}
