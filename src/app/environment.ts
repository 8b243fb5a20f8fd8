/** What a session stands on, found out before anything is started: configuration, models, sandbox, which session. */
import { join } from 'node:path';
import { type Config, createTrust, loadConfig, placesOf } from '../config/index.ts';
import { createPathIndex, type PathIndex } from '../router/index.ts';
import { detectSandbox, type SandboxStatus } from '../sandbox/index.ts';
import { chooseSession, type SessionChoice } from './choose-session.ts';
import { fallbackNotices, presetNotices, projectNotice } from './config-notices.ts';
import { LAUNCHER } from './launcher.ts';
import type { GlobalOptions, SessionWish } from './options.ts';
import { choosePresets, type Presets } from './presets.ts';

export type OpenOptions = {
  readonly global: GlobalOptions;
  readonly session: SessionWish;
  readonly version: string;
  /** The size of the user's terminal. */
  readonly columns: number;
  readonly rows: number;
};

export type Ground = {
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

/** Reads and looks, and starts nothing. What can't go on is one line for the user. */
export async function layGround(options: OpenOptions): Promise<Ground | { readonly problem: string }> {
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
  const session = await chooseSession(sessions, options.session, Date.now());
  if ('problem' in session) return session;
  const notices = [
    ...session.notices,
    ...loaded.notices,
    ...projectNotice(loaded),
    ...presetNotices(config, names, presets.active),
    ...fallbackNotices(presets.list),
  ];
  const configFile = loaded.file ?? placesOf(env).config;
  return { options, config, configFile, notices, presets, sandbox, session, sessions, index };
}
