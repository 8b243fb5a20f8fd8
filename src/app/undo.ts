/** The user's change store, set up for this session. */
import { join } from 'node:path';
import { type Config, loadConfig, placesOf } from '../config/index.ts';
import { createPrivateTmp, trialArgv } from '../effects/sandbox/index.ts';
import { ChangeStore, diskHere, probeTrials, type TrialLaunch, TrialStore, viewHere } from '../effects/undo/index.ts';
import { ownedPrefix } from '../executor/index.ts';
import type { Phase } from '../session/phase.ts';
import { LAUNCHER } from './environment.ts';
import { overlapsThisProgram } from './own-places.ts';
import { projectTree } from './project-tree.ts';
import { processFilter } from './secrets-filter.ts';
import type { SessionBus } from './session-bus.ts';

const MB = 1_000_000;

/** Returns the key of a Norris run in the store; undefined outside a run. */
export function runKey(phase: Phase, session: string): string | undefined {
  return 'run' in phase && phase.run.kind === 'norris' ? `${session}:${phase.run.startedAt}` : undefined;
}

export type UndoNeeds = {
  readonly config: Pick<Config, 'undo'>;
  readonly session: string;
  readonly hide: (text: string) => string;
  /** Called with each file that a model has changed. */
  readonly changed?: (files: readonly string[]) => void;
  /** Undefined outside a session, where no commands run. */
  readonly bus?: SessionBus;
};

export function changeStore(needs: UndoNeeds): ChangeStore {
  return new ChangeStore({
    ...storeSettings(needs),
    ...(needs.changed && { changed: needs.changed }),
    disk: diskHere(LAUNCHER, directoryHere()),
  });
}

const directoryHere = () => join(placesOf(process.env).state, 'undo');

/** Settings shared by the stores of all machines. */
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

/** Returns the key of the current run in the store. */
export function currentRun(bus: SessionBus | undefined, session: string): string | undefined {
  const phase = bus?.engine.conversation.phase;
  return phase && runKey(phase, session);
}

type RunTrial = ConstructorParameters<typeof TrialStore>[0]['run'];

/** The launcher's options for trials on this machine. */
export const TRIAL_LAUNCH: TrialLaunch = {
  launcher: LAUNCHER,
  createTmp: () => createPrivateTmp(ownedPrefix('trial')),
  wrap: trialArgv,
};

/** Creates the trials of commands (EF-5), whose applied changes go into the given change store. */
export function trialStore(needs: UndoNeeds, store: ChangeStore, run: RunTrial): TrialStore {
  const treeOf = (cwd: string) => projectTree(cwd, overlapsThisProgram()) ?? cwd;
  const where = {
    disk: diskHere(LAUNCHER, directoryHere()),
    probe: () => probeTrials(TRIAL_LAUNCH, directoryHere()),
    viewOf: (cwd: string) => viewHere(cwd, treeOf),
  };
  const rollBack = (number: number) => store.rollBack(number);
  return new TrialStore({
    ...trialSettings(needs),
    ...where,
    run,
    rollBack,
    applied: (number) => store.applied(number),
  });
}

/** Settings shared by the trials of all machines. */
export function trialSettings({ config, bus, session, hide }: UndoNeeds) {
  return {
    spaceBytes: config.undo.budget * MB,
    session,
    group: () => currentRun(bus, session),
    now: Date.now,
    hide,
  };
}

/** Stores for use outside a session, where the caller starts the command. */
export function effectsOutside(config: UndoNeeds['config']): {
  readonly store: ChangeStore;
  readonly trials: TrialStore;
} {
  const needs = { config, session: '', hide: (text: string) => processFilter().hide(text) };
  const store = changeStore(needs);
  const run = () => Promise.reject(new Error('nothing runs outside a session'));
  return { store, trials: trialStore(needs, store, run) };
}

/** The same from the user's configuration; a string is a problem with it, in one line. */
export async function loadEffects(file: string | undefined): Promise<ReturnType<typeof effectsOutside> | string> {
  const loaded = await loadConfig(file, process.env);
  return loaded.ok ? effectsOutside(loaded.config) : loaded.message;
}
