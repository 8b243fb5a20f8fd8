/** From one session to the next in place. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../commands/app.ts';
import type { Invocation } from './program.ts';

type OnScreen = Extract<Invocation, { kind: 'screen' }>;

/** What would have opened it from the command line; in its directory, or where that is gone in this one. */
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
