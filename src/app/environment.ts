/** What a session depends on, determined before anything is started: configuration, models, sandbox, which session. */

import { join } from 'node:path';
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
import { detectSandbox, findLauncher, type SandboxStatus } from '../effects/sandbox/index.ts';
import { createPathIndex, type PathIndex } from '../router/index.ts';
import { listRules } from '../safety/index.ts';
import type { SessionEvent } from '../session/event.ts';
import { nearest } from '../text/matching.ts';
import { chooseSession, type SessionChoice } from './choose-session.ts';
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
