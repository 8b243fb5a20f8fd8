/**
 * Restricted, Project and Unrestricted: who may change the mode, when it takes effect, and how it is announced (MO-1 …
 * MO-9).
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
/** In the home directory or above it, and where this program or its settings lie. */
export const NO_TREE =
  'Project mode has no tree here: neither the home directory and what is above it, nor one that holds, also by a link, aish-tui, its settings, or what it, your shells or your tools start with';

/** What a mode means, as the notice to the model (MO-5). */
export function modeNotice(mode: Mode): string {
  return `[aish] mode: ${modeWords(mode)}`;
}

/** Names the mode to a model and says what it allows; to one that may ask for a wider one, how. */
export function modeWords(mode: Mode, mayAsk = true): string {
  const { meaning, wider } = MODE_WORDS[mode];
  return meaning + (mayAsk ? wider : '');
}

/** The same for the user. */
export function modeMeaning(mode: Mode): string {
  return `[aish] mode: ${MODE_WORDS[mode].meaning}`;
}

export function modeName(mode: Mode): string {
  return MODE_WORDS[mode].name;
}

/** What a model is told that may not leave its mode. */
export function upgradeDenied(mode: Mode): string {
  const how = mode === 'project' ? "within the project's tree" : 'without writing';
  return `[aish] mode upgrade denied by user; still in ${modeName(mode)} mode. Go on ${how}.`;
}

/** The modes that the user may widen to, the narrowest first. */
export function offersFrom({ conversation, state }: Pick<Transition, 'conversation' | 'state'>): readonly Mode[] {
  const { mode, settings, cwd } = conversation;
  const host = hostOf(cwd);
  const project = settings.project === true && (host === undefined || state.projectHosts?.includes(host) === true);
  return MODES.filter((other) => isWider(other, mode) && (other !== 'project' || project));
}

/** Why the kernel can't hold commands to `mode` here; undefined where it can. */
export function whyNotEnforced(mode: Mode, { sandbox, project }: Settings): string | undefined {
  if (mode === 'unrestricted') return undefined;
  if (!sandbox) return NO_SANDBOX;
  return mode === 'project' && project !== true ? NO_PROJECT : undefined;
}

/** The mode that a conversation gets here: never wider than `mode`, but for older journals (MO-1, MO-13). */
export function possibleMode(mode: Mode, settings: Settings): Mode {
  if (!settings.sandbox) return settings.keepsMode ? mode : 'unrestricted';
  return whyNotEnforced(mode, settings) === undefined ? mode : 'restricted';
}

/**
 * Whether the mode is narrower than Unrestricted and nothing enforces it (MO-13), or what else protects the user can't
 * be read (CF-1): then no action of the model runs.
 */
export function isUnenforced({ mode, settings }: Pick<Conversation, 'mode' | 'settings'>): boolean {
  return mode !== 'unrestricted' && (!settings.sandbox || settings.unread !== undefined);
}

/** The refusal of an action in such a mode, for the model and the user. */
export function unenforced(mode: Mode, { unread }: Settings): string {
  const why = unread
    ? `the user's configuration can't be read (${unread.join(', ')})`
    : `${modeName(mode)} mode can't be enforced here without the kernel sandbox`;
  return `[aish] not run: ${why}. Nothing runs until the user chooses :mode unrestricted, or approves a request_mode_upgrade.`;
}

/** Sets the mode by the user's own choice, shows it, and tells the model with the next call. */
export function setMode(next: Transition, mode: Mode): void {
  if (!changeMode(next, mode) || isToBeNamed(next)) return;
  next.inbox({ kind: 'note', origin: 'aish', text: modeNotice(mode) });
}

/** Whether the system message will name the mode, since nothing has been sent yet. */
function isToBeNamed({ conversation: { settings, named, turns } }: Transition): boolean {
  return settings.surroundings !== undefined && !named && turns.length === 0;
}

/** The same, where the answer to the model's request serves as the notice. False: it was in that mode already. */
export function changeMode(next: Transition, mode: Mode): boolean {
  next.set({ tightening: undefined });
  if (next.conversation.mode === mode) return false;
  next.set({ mode });
  next.notice('info', modeMeaning(mode));
  return true;
}

/** The narrower mode that was chosen while an action ran takes effect, now that none does. */
export function tighten(next: Transition): void {
  const { tightening } = next.conversation;
  if (tightening !== undefined) setMode(next, tightening);
}

/** The refusal of an action by the mode alone, before schema and gate (AC-5); undefined: not refused. */
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

/** Tools of other servers are called `server__tool`; no built-in one is. */
function isForeign(name: string): boolean {
  return name.includes('__');
}

/** A server runs outside every boundary, so only the user's own word about its tools counts. */
function isForeignAllowed(name: string, mode: Mode, { readOnlyTools = [], approvedTools = [] }: Settings): boolean {
  if (mode === 'unrestricted' || matchesGlob(name, readOnlyTools)) return true;
  return mode === 'project' && matchesGlob(name, approvedTools);
}

export function isUpgradeRequest(action: Action): boolean {
  return action.kind === 'tool' && action.name === UPGRADE_TOOL;
}

/**
 * What a well-formed request to widen the mode says; undefined for anything else. Journals of before Project know no
 * `mode`.
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
