/**
 * Decides when the screen is drawn: at frame rate for streams and for what the model does on its own, at once for
 * everything else.
 */
import type { Engine } from '../../engine/engine.ts';
import type { Phase } from '../../session/phase.ts';
import { rootOf, type State } from '../../session/state.ts';

/** A value that counts its changes and reports each. */
export type Changing = { readonly version: number; subscribe(listener: () => void): () => void };

/** Milliseconds between two frames of a stream. Keys are drawn at once; this bounds the work for tokens and output. */
const FRAME_MS = 33;

/** Returns the source with its changes reported at most once a frame; the first one after a pause at once. */
export function atFrameRate(source: Changing): Changing {
  const listeners = new Set<() => void>();
  let { version } = source;
  let timer: NodeJS.Timeout | undefined;
  let told = 0;
  let unsubscribe = () => {};
  const tell = () => {
    timer = undefined;
    told = performance.now();
    ({ version } = source);
    for (const listener of [...listeners]) listener();
  };
  const changed = () => {
    if (timer) return;
    const wait = FRAME_MS - (performance.now() - told);
    if (wait <= 0) tell();
    else timer = setTimeout(tell, wait);
  };
  return {
    /** The version as of the last frame, so that everything drawn between two frames agrees. */
    get version() {
      return version;
    },
    subscribe(listener) {
      if (listeners.size === 0) {
        ({ version } = source);
        unsubscribe = source.subscribe(changed);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
        unsubscribe();
      };
    },
  };
}

/** The phases in which the model's side works without the user. */
const BY_ITSELF: ReadonlySet<Phase['kind']> = new Set(['planning', 'replying', 'judging', 'acting']);

/** Returns whether only the model can change something now: the user is not asked, and no command of theirs runs. */
function worksAlone(state: State): boolean {
  return BY_ITSELF.has(rootOf(state).phase.kind) && state.questions.length === 0 && state.shell.running === undefined;
}

/**
 * Reports the engine's changes once a turn of the event loop, so that what follows from one answer is drawn once, and
 * pending keys are read first. What the model does on its own is drawn at frame rate, so that no step waits for
 * drawing; its beginning and end, and what the user does, at once.
 * @param onUser subscribes to the user's actions
 */
export function engineChanges(
  engine: () => Pick<Engine, 'state' | 'subscribe'>,
  onUser: Changing['subscribe'],
): Changing['subscribe'] {
  const listeners = new Set<() => void>();
  let due: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let alone = false;
  let ends: readonly (() => void)[] = [];
  const forget = () => {
    clearImmediate(due);
    clearTimeout(timer);
    due = undefined;
    timer = undefined;
  };
  const tell = () => {
    forget();
    alone = worksAlone(engine().state);
    for (const listener of [...listeners]) listener();
  };
  const changed = () => {
    if (alone && worksAlone(engine().state)) timer ??= setTimeout(tell, FRAME_MS);
    else due ??= setImmediate(tell);
  };
  const used = () => {
    alone = false;
    if (timer) due ??= setImmediate(tell);
  };
  return (listener) => {
    if (listeners.size === 0) ends = [engine().subscribe(changed), onUser(used)];
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      forget();
      alone = false;
      for (const end of ends) end();
    };
  };
}

/** Returns lines that are made again whenever the source has a new version. */
export function linesOf(source: Changing, make: () => readonly string[]): () => readonly string[] {
  let made: { readonly version: number; readonly lines: readonly string[] } | undefined;
  return () => {
    if (made?.version !== source.version) made = { version: source.version, lines: make() };
    return made.lines;
  };
}

/** Returns a source that changes every `milliseconds` while it has subscribers. */
export function ticking(milliseconds: number): Changing {
  const listeners = new Set<() => void>();
  let version = 0;
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    version += 1;
    for (const listener of [...listeners]) listener();
  };
  return {
    get version() {
      return version;
    },
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(tick, milliseconds);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
