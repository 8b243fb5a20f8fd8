/**
 * Restricted, Project and Unrestricted: who may change the mode, when a change takes effect, and how it is announced
 * (MO-1 … MO-9).
 */

import { parseJsonObject } from '../text/json.ts';
import { matchesGlob } from '../text/matching.ts';
import type { Action } from './action.ts';
import { isWider, MODES, type Mode } from './ids.ts';
import { MODE_WORDS } from './mode-words.ts';
import { hostOf } from './place.ts';
import type { Conversation, Settings } from './state.ts';
import type { Transition } from './transition.ts';

const UPGRADE_TOOL = 'request_mode_upgrade';
export const PATCH_DISABLED =
  'Patch tool is disabled in Restricted mode. Use request_mode_upgrade to request write access.';
export const ALREADY_UNRESTRICTED = 'Already in Unrestricted mode';
const ALREADY_PROJECT = 'Already in Project mode';
const ONLY_PARENT = 'A sub-agent cannot request an upgrade; only its parent can.';
const NO_DELEGATION = 'A sub-agent cannot delegate; do it yourself or say in your report what is left.';
export const UPGRADE_APPROVED = '[aish] mode upgrade approved by user.';
const NO_SANDBOX =
  '[aish] Restricted mode needs the kernel sandbox: Linux 5.13 or newer with Landlock (6.12 or newer for all of it), and a C compiler at build time.';
const NO_PROJECT =
  '[aish] Project mode needs user namespaces or Landlock, and neither holds here; aish-tui doctor says why.';
/**
 * The reason why there is no project: the directory is the home directory, above it, or contains aish-tui or its
 * settings.
 */
export const NO_TREE =
  'Project mode has no tree here: neither the home directory and what is above it, nor one that holds, also by a link, aish-tui, its settings, or what it, your shells or your tools start with';

/** Explains a mode in the notice to the model (MO-5). */
export function modeNotice(mode: Mode): string {
  return `[aish] mode: ${modeWords(mode)}`;
}

/** Names and explains the mode to a model; if the model may ask for a wider one, also how. */
export function modeWords(mode: Mode, mayAsk = true): string {
  const { meaning, wider } = MODE_WORDS[mode];
  return meaning + (mayAsk ? wider : '');
}

/** Returns what a mode means, in words for the user. */
export function modeMeaning(mode: Mode): string {
  return `[aish] mode: ${MODE_WORDS[mode].meaning}`;
}

export function modeName(mode: Mode): string {
  return MODE_WORDS[mode].name;
}

/** Tells a model that it may not leave its mode. */
export function upgradeDenied(mode: Mode): string {
  const how = mode === 'project' ? "within the project's tree" : 'without writing';
  return `[aish] mode upgrade denied by user; still in ${modeName(mode)} mode. Go on ${how}.`;
}

/** Returns the wider modes the user may choose, narrowest first. */
export function offersFrom({ conversation, state }: Pick<Transition, 'conversation' | 'state'>): readonly Mode[] {
  const { mode, settings, cwd } = conversation;
  const host = hostOf(cwd);
  const project = settings.project === true && (host === undefined || state.projectHosts?.includes(host) === true);
  return MODES.filter((other) => isWider(other, mode) && (other !== 'project' || project));
}

/** Returns why the kernel can't enforce `mode` here; undefined if it can. */
export function whyNotEnforced(mode: Mode, { sandbox, project }: Settings): string | undefined {
  if (mode === 'unrestricted') return undefined;
  if (!sandbox) return NO_SANDBOX;
  return mode === 'project' && project !== true ? NO_PROJECT : undefined;
}

/** Returns the mode a conversation gets here: never wider than `mode`, except in older journals (MO-1, MO-13). */
export function possibleMode(mode: Mode, settings: Settings): Mode {
  if (!settings.sandbox) return settings.keepsMode ? mode : 'unrestricted';
  return whyNotEnforced(mode, settings) === undefined ? mode : 'restricted';
}

/**
 * Returns whether no action of the model may run: nothing enforces the mode (MO-13), or a security setting can't be
 * read (CF-1).
 */
export function isUnenforced({ mode, settings }: Pick<Conversation, 'mode' | 'settings'>): boolean {
  return mode !== 'unrestricted' && (!settings.sandbox || settings.unread !== undefined);
}

/** The refusal of an action in an unenforced mode, for the model and the user. */
export function unenforced(mode: Mode, { unread }: Settings): string {
  const why = unread
    ? `the user's configuration can't be read (${unread.join(', ')})`
    : `${modeName(mode)} mode can't be enforced here without the kernel sandbox`;
  return `[aish] not run: ${why}. Nothing runs until the user chooses :mode unrestricted, or approves a request_mode_upgrade.`;
}

/** Sets the mode that the user chose, shows it, and tells the model with the next call. */
export function setMode(next: Transition, mode: Mode): void {
  if (!changeMode(next, mode) || isToBeNamed(next)) return;
  next.inbox({ kind: 'note', origin: 'aish', text: modeNotice(mode) });
}

/** Whether the system message will name the mode, because no request has been sent yet. */
function isToBeNamed({ conversation: { settings, named, turns } }: Transition): boolean {
  return settings.surroundings !== undefined && !named && turns.length === 0;
}

/** Changes the mode when the reply to the model's request is the notice. Returns false if it was already set. */
export function changeMode(next: Transition, mode: Mode): boolean {
  next.set({ tightening: undefined });
  if (next.conversation.mode === mode) return false;
  next.set({ mode });
  next.notice('info', modeMeaning(mode));
  return true;
}

/** Applies the narrower mode that the user chose while an action ran. */
export function tighten(next: Transition): void {
  const { tightening } = next.conversation;
  if (tightening !== undefined) setMode(next, tightening);
}

/** Returns the refusal of an action by its mode alone, before schema and gate (AC-5); undefined: not refused. */
export function refusedByMode(next: Transition, action: Action): string | undefined {
  const { mode, parent, settings } = next.conversation;
  if (action.kind === 'tool' && action.name === 'patch' && mode === 'restricted') return PATCH_DISABLED;
  if (isUnenforced(next.conversation) && !upgradeWish(action, settings)) return unenforced(mode, settings);
  if (action.kind === 'command') return undefined;
  const delegates = action.kind === 'delegate' || action.name === 'delegate';
  if (delegates) return parent ? NO_DELEGATION : undefined;
  if (isForeign(action.name) && !isForeignAllowed(action.name, mode, settings))
    return `${action.name} is disabled in ${modeName(mode)} mode. Use request_mode_upgrade to request write access.`;
  if (action.name !== UPGRADE_TOOL) return undefined;
  if (parent) return ONLY_PARENT;
  if (mode === 'unrestricted') return ALREADY_UNRESTRICTED;
  return mode === 'project' && upgradeWish(action, settings)?.wish === 'project' ? ALREADY_PROJECT : undefined;
}

/** Tools of MCP servers are named `server__tool`; no built-in tool is. */
function isForeign(name: string): boolean {
  return name.includes('__');
}

/** MCP servers run outside every sandbox, so only the user's configuration decides about their tools. */
function isForeignAllowed(name: string, mode: Mode, { readOnlyTools = [], approvedTools = [] }: Settings): boolean {
  if (mode === 'unrestricted' || matchesGlob(name, readOnlyTools)) return true;
  return mode === 'project' && matchesGlob(name, approvedTools);
}

export function isUpgradeRequest(action: Action): boolean {
  return action.kind === 'tool' && action.name === UPGRADE_TOOL;
}

/**
 * Parses a request for a wider mode; undefined for other actions. Journals older than Project mode have no `mode`.
 */
export function upgradeWish(
  action: Action,
  { project }: Settings,
): { readonly reason: string; readonly wish?: Mode } | undefined {
  if (action.kind !== 'tool' || action.name !== UPGRADE_TOOL) return undefined;
  const { reason, mode, ...rest } = parseJsonObject(action.arguments) ?? {};
  if (Object.keys(rest).length > 0 || typeof reason !== 'string' || reason.trim() === '') return undefined;
  if (mode === undefined) return { reason };
  const known = project !== undefined && (mode === 'project' || mode === 'unrestricted');
  return known ? { reason, wish: mode } : undefined;
}
