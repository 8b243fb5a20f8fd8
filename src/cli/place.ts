/** Changes the working directory; loaded only if that differs from the starting directory. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../commands/app.ts';
import { messageOf } from '../text/errors.ts';
import type { Writer } from './print.ts';
import type { Invocation } from './program.ts';

/** Commands that don't use the starting directory. */
const PLACELESS: ReadonlySet<Invocation['kind']> = new Set(['safetyCheck', 'route', 'secretsCheck', 'uninstall']);

/** Changes to the requested directory; prints a message and returns false if that fails or no directory exists. */
export function goToPlace(invocation: Invocation, err: Writer): boolean {
  const wished = 'global' in invocation ? invocation.global.cwd : undefined;
  if (wished === undefined) {
    if (PLACELESS.has(invocation.kind)) return true;
    err('aish-tui: this directory does not exist any more: cd to one that does\n');
    return false;
  }
  try {
    process.chdir(wished);
    return true;
  } catch (error) {
    err(`aish-tui: can't work in ${wished} (${messageOf(error)})\n`);
    return false;
  }
}

// Switches from one session to the next in place.

type OnScreen = Extract<Invocation, { kind: 'screen' }>;

/**
 * Returns the invocation that would open the next session, in that session's directory if it exists, else in the
 * current one.
 */
export function openedNext({ global }: OnScreen, next: NonNullable<App['sessions']['next']>): OnScreen {
  const { config, inline } = global;
  const { id, fork, cwd, model } = next;
  const kept = {
    ...(config === undefined ? {} : { config: resolve(config) }),
    ...(inline ? { inline } : {}),
    ...(model === undefined ? {} : { model }),
    ...(existsSync(cwd) ? { cwd } : {}),
  };
  return {
    kind: 'screen',
    global: kept,
    session: { resume: id, fork, ...(model === undefined ? {} : { again: true }) },
  };
}
