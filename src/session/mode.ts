/** Restricted and Unrestricted: who may change the mode, when it takes effect, and how it is announced (MO-1 … MO-7). */

import { matchesGlob } from '../text/glob.ts';
import { parseJsonObject } from '../text/json.ts';
import type { Action } from './action.ts';
import type { Mode } from './ids.ts';
import type { Transition } from './transition.ts';

const PATCH_DISABLED = 'Patch tool is disabled in Restricted mode. Use request_mode_upgrade to request write access.';
export const ALREADY_UNRESTRICTED = 'Already in Unrestricted mode';
const ONLY_PARENT = 'A sub-agent cannot request an upgrade; only its parent can.';
const NO_DELEGATION = 'A sub-agent cannot delegate; do it yourself or say in your report what is left.';
export const UPGRADE_DENIED = '[aish] mode upgrade denied by user; still in Restricted mode. Go on without writing.';
export const UPGRADE_APPROVED = '[aish] mode upgrade approved by user.';
export const NO_SANDBOX =
  '[aish] Restricted mode needs the kernel sandbox: Linux 5.13 or newer with Landlock (6.12 or newer for all of it), and a C compiler at build time. The mode stays Unrestricted.';

/** What a mode means, as the notice to the model (MO-5). */
export function modeNotice(mode: Mode): string {
  return mode === 'restricted'
    ? '[aish] mode: Restricted. Commands run in a kernel sandbox: files can be read but not written (only $TMPDIR can), and there is no network. Use request_mode_upgrade to request write access.'
    : '[aish] mode: Unrestricted. Commands may write files and use the network; destructive ones are still put to the user.';
}

/** Sets the mode by the user's own choice, shows it, and tells the model with the next call. */
export function setMode(next: Transition, mode: Mode): void {
  if (!changeMode(next, mode)) return;
  next.inbox({ kind: 'note', origin: 'aish', text: modeNotice(mode) });
}

/** The same, where the answer to the model's request serves as the notice. False: it was in that mode already. */
export function changeMode(next: Transition, mode: Mode): boolean {
  next.set({ tightening: false });
  if (next.conversation.mode === mode) return false;
  next.set({ mode });
  next.notice('info', modeNotice(mode));
  return true;
}

/** The refusal of an action by the mode alone, before schema and gate (AC-5); undefined: not refused. */
export function refusedByMode(next: Transition, action: Action): string | undefined {
  const { mode, parent, settings } = next.conversation;
  if (action.kind === 'command') return undefined;
  const delegates = action.kind === 'delegate' || action.name === 'delegate';
  if (delegates) return parent ? NO_DELEGATION : undefined;
  if (action.name === 'patch' && mode === 'restricted') return PATCH_DISABLED;
  if (mode === 'restricted' && isForeign(action.name) && !matchesGlob(action.name, settings.readOnlyTools ?? []))
    return `${action.name} is disabled in Restricted mode. Use request_mode_upgrade to request write access.`;
  if (action.name !== 'request_mode_upgrade') return undefined;
  if (parent) return ONLY_PARENT;
  return mode === 'unrestricted' ? ALREADY_UNRESTRICTED : undefined;
}

/** Tools of other servers are called `server__tool`; no built-in one is. */
function isForeign(name: string): boolean {
  return name.includes('__');
}

/** The reason given in a well-formed request to leave Restricted; undefined for anything else. */
export function upgradeReason(action: Action): string | undefined {
  if (action.kind !== 'tool' || action.name !== 'request_mode_upgrade') return undefined;
  const { reason, ...rest } = parseJsonObject(action.arguments) ?? {};
  if (Object.keys(rest).length > 0) return undefined;
  return typeof reason === 'string' && reason.trim() !== '' ? reason : undefined;
}
