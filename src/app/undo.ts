/** The change store of this user, as this session uses it. */
import { join } from 'node:path';
import { type Config, loadConfig, placesOf } from '../config/index.ts';
import { createPrivateTmp, trialArgv } from '../effects/sandbox/index.ts';
import { ChangeStore, LocalTrialDisk, type TrialLaunch, TrialStore } from '../effects/undo/index.ts';
import { ownedPrefix } from '../executor/index.ts';
import type { Phase } from '../session/phase.ts';
import { LAUNCHER } from './environment.ts';
import { takenHere } from './own-places.ts';
import { projectTree } from './project-tree.ts';
import { processFilter } from './secrets-filter.ts';
import type { SessionBus } from './session-bus.ts';

const MB = 1_000_000;

/** How a Norris run is called in the store; undefined outside one. */
export function runKey(phase: Phase, session: string): string | undefined {
  return 'run' in phase && phase.run.kind === 'norris' ? `${session}:${phase.run.startedAt}` : undefined;
}

export type UndoNeeds = {
  readonly config: Pick<Config, 'undo'>;
  readonly session: string;
  readonly hide: (text: string) => string;
  /** Told of each file that a model has changed. */
  readonly changed?: (files: readonly string[]) => void;
  /** Absent outside a session: nothing runs there. */
  readonly bus?: SessionBus;
};

export function changeStore(needs: UndoNeeds): ChangeStore {
  return new ChangeStore({
    ...storeSettings(needs),
    ...(needs.changed && { changed: needs.changed }),
    launcher: LAUNCHER,
    directory: join(placesOf(process.env).state, 'undo'),
  });
}

/** What holds for the store of any machine. */
export function storeSettings({ config, bus, session, hide }: UndoNeeds) {
  const { budget, days, max_file, credentials } = config.undo;
  return {
    budgetBytes: budget * MB,
    maxFileBytes: max_file * MB,
    days,
    credentials,
    session,
    run: () => currentRun(bus, session),
    now: Date.now,
    hide,
    warn: (text: string) => bus?.show(text),
    onChanged: () => bus?.changed(),
  };
}

/** How the run under way is called in the store. */
export function currentRun(bus: SessionBus | undefined, session: string): string | undefined {
  const phase = bus?.engine.conversation.phase;
  return phase && runKey(phase, session);
}

type RunTrial = ConstructorParameters<typeof TrialStore>[0]['run'];

/** How commands are put into trials on this machine. */
export const TRIAL_LAUNCH: TrialLaunch = {
  launcher: LAUNCHER,
  createTmp: () => createPrivateTmp(ownedPrefix('trial')),
  wrap: trialArgv,
};

/** Trials of commands (EF-5), beside the store in which an applied one is kept. */
export function trialStore(needs: UndoNeeds, store: ChangeStore, run: RunTrial): TrialStore {
  const disk = new LocalTrialDisk({
    ...TRIAL_LAUNCH,
    directory: join(placesOf(process.env).state, 'undo'),
    treeOf: (cwd) => projectTree(cwd, takenHere()) ?? cwd,
  });
  const rollBack = (number: number) => store.rollBack(number);
  return new TrialStore({ ...trialSettings(needs), disk, run, rollBack, applied: (number) => store.applied(number) });
}

/** What holds for trials on any machine. */
export function trialSettings({ config, bus, session, hide }: UndoNeeds) {
  return {
    spaceBytes: config.undo.budget * MB,
    session,
    group: () => currentRun(bus, session),
    now: Date.now,
    hide,
  };
}

/** Both outside a session, where whoever asks starts the command. */
export function effectsOutside(config: UndoNeeds['config']): {
  readonly store: ChangeStore;
  readonly trials: TrialStore;
} {
  const needs = { config, session: '', hide: (text: string) => processFilter().hide(text) };
  const store = changeStore(needs);
  const run = () => Promise.reject(new Error('nothing runs outside a session'));
  return { store, trials: trialStore(needs, store, run) };
}

/** The same by the user's configuration, or what is wrong with it in a line. */
export async function loadEffects(file: string | undefined): Promise<ReturnType<typeof effectsOutside> | string> {
  const loaded = await loadConfig(file, process.env);
  return loaded.ok ? effectsOutside(loaded.config) : loaded.message;
}
