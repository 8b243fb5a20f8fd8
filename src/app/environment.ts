/**
 * Determines what a session needs before anything starts: configuration, models, sandbox, and which session to open.
 */

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
import type { EarlyStart } from './early-start.ts';
import type { GlobalOptions, SessionWish } from './options.ts';
import { choosePresets, type Presets } from './presets.ts';

export type OpenOptions = {
  readonly global: GlobalOptions;
  readonly session: SessionWish;
  readonly version: string;
  /** The size of the user's terminal. */
  readonly columns: number;
  readonly rows: number;
  /** Yields to pending key presses between two pieces of work. */
  readonly turn?: () => Promise<void>;
  /** A user is there to choose another mode if the requested one can't be enforced. */
  readonly person?: true;
  /** The processes that were started while the program was loaded. */
  readonly early?: EarlyStart;
  /** Set if no user can answer, and the program ends with its task. */
  readonly alone?: true;
};

export type Environment = {
  readonly options: OpenOptions;
  readonly config: Config;
  /** Whether a configuration file set the mode; otherwise the mode is the default. */
  readonly modeAsked: boolean;
  readonly configFile: string;
  readonly notices: readonly string[];
  /** Security settings that can't be read. Until the user fixes or waives them the model runs nothing. */
  readonly unread?: readonly string[];
  /** The project's instructions for agents, if the user trusts and wants them. */
  readonly instructions?: Instructions;
  readonly presets: Presets;
  readonly sandbox: SandboxStatus;
  readonly session: Omit<SessionChoice, 'events'> & {
    /** The number of events in the journal; 0 for a new session. */
    readonly seq: number;
  };
  readonly sessions: string;
  readonly index: PathIndex;
};

/**
 * Reads only, starts nothing. A problem that prevents a session is one line for the user.
 * The events of a resumed session are a separate result, so that they can be freed once folded.
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
    options.early?.sandbox ?? detectSandbox({ launcher: LAUNCHER }),
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

/** Lists every mistake in the configuration, which settings still apply, and what to do. */
function mistakeNotices({ mistakes, rest: { unread } }: Extract<Loaded, { ok: false }>): readonly string[] {
  const held =
    unread &&
    `the model can run nothing while ${unread.join(', ')} can't be read; :mode unrestricted lifts this restriction`;
  const fix = 'aish-tui config edit mends it, and the next start reads it';
  return [...mistakes, `what is wrong there was left out: ${fix}`, ...(held ? [held] : [])];
}

/** Applies the limits of the command line over those of the configuration. */
function withLimits(config: Config, { maxSteps, maxDollars }: GlobalOptions): Config {
  const norris = maxSteps === undefined ? config.norris : { ...config.norris, max_norris_steps: maxSteps };
  const cost = maxDollars === undefined ? config.cost : { ...config.cost, stop_at_dollars: maxDollars };
  return { ...config, norris, cost };
}

/** Lists project settings that need the user's trust, and the size of the project's instructions. */
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

/** Names in the configuration that refer to nothing; reported at every start and by doctor. */
export function nameNotices(config: Config, { list, active }: Pick<Presets, 'list' | 'active'>): readonly string[] {
  const names = list.map(({ name }) => name);
  return [...presetNotices(config, names, active), ...ruleNotices(config)];
}

/** Reports presets that the configuration uses but does not define, and their replacement (PP-2, SF-4). */
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

/** Reports names in disable_rules that match no rule. */
function ruleNotices({ safety }: Config): readonly string[] {
  const names = listRules().map(({ name }) => name);
  const unknown = safety.disable_rules.filter((name) => !names.includes(name));
  return unknown.map((name) => {
    const guess = nearest(name, names);
    return `safety.disable_rules: no rule is called ${name}${guess ? `; did you mean ${guess}?` : ''}`;
  });
}

/** Reports remote fallbacks whose secrets policy is weaker than the preset's; they are never used (BR-4). */
function fallbackNotices(presets: readonly Preset[]): readonly string[] {
  const byName = new Map(presets.map((preset) => [preset.name, preset]));
  return presets.flatMap((preset) =>
    fallbacksOf(preset, byName, true).barred.map(
      (other) =>
        `models.${preset.name}.fallback: ${other} is remote and its "secrets" policy is weaker than that of ${preset.name}; it is not used`,
    ),
  );
}

/** The path of the kernel sandbox's launcher for this machine. */
export const LAUNCHER = findLauncher(import.meta.url);

// The chosen session: new, resumed, or a copy of an earlier one.

type SessionChoice = {
  readonly id: string;
  readonly folder: string;
  readonly journal: string;
  readonly lock: Lock;
  /** The events of the journal; empty for a new session. */
  readonly events: readonly SessionEvent[];
  /** The size of the journal's readable part, in bytes. */
  readonly goodBytes: number;
  /** Notices for the user about this choice. */
  readonly notices: readonly string[];
};

type Refused = { readonly problem: string };

type Circumstances = {
  readonly sessionsDir: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The directory in which the program was started. */
  readonly cwd: string;
  /** Yields to pending key presses between two pieces of work. */
  readonly turn?: () => Promise<void>;
};

/** How many sessions of other directories to try if this directory has none. */
const MAX_ELSEWHERE = 50;

/**
 * Chooses the session to resume. Without an id: the latest of this directory, else the latest of all, with a notice.
 * On failure the problem is one line that says what to do.
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

/** Yields the sessions of this directory, then the others, latest first. */
async function* byNearness({ sessionsDir, cwd }: Circumstances): AsyncGenerator<SessionSummary> {
  const elsewhere: SessionSummary[] = [];
  for await (const session of sessionsByAge(sessionsDir)) {
    // An unreadable session may belong to this directory: try it, so that the user learns its name.
    if (session.cwd === cwd || session.cwd === '') yield session;
    else if (elsewhere.length < MAX_ELSEWHERE) elsewhere.push(session);
  }
  yield* elsewhere;
}

/** Opens one session by its id: itself, or a copy if requested or if the session is in use. */
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
  // Lock first: another program may still write while it closes.
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
  const rest = damage === FIRST_IS_DAMAGED ? 'everything after it' : `the ${events.length} events before that`;
  const what = `the journal of session ${id} is damaged (${damage}): this is a copy of ${rest}`;
  return newSession(events, [what], circumstances);
}

function refusalOf({ problem, newer, events }: ReadJournal, id: string): Refused | undefined {
  if (problem !== undefined) return { problem: `session ${id} can't be read: ${problem}` };
  if (newer) return { problem: `session ${id} was written by a newer aish-tui; use that one` };
  return events.length === 0 ? { problem: `nothing of session ${id} can be read` } : undefined;
}

/** Creates a new session that begins with these events. */
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

/** A sortable id: date, time, a few random letters. */
function newId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day}-${time.slice(0, 5).replace(':', '')}-${randomBytes(2).toString('hex')}`;
}
