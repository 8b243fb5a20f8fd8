/** What is drawn when: streams beside the machine and what the model does by itself at frame rate, all else at once. */
import type { Engine } from '../../engine/engine.ts';
import type { Phase } from '../../session/phase.ts';
import { rootOf, type State } from '../../session/state.ts';

/** What counts its changes and tells of each. */
export type Changing = { readonly version: number; subscribe(listener: () => void): () => void };

/** How often streams are drawn. Keys are drawn at once; this bounds the work that tokens and output cause. */
const FRAME_MS = 33;

/** The same source, told of at most once a frame; the first change after a pause at once. */
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
    /** As of the last frame, so that all that is drawn between two frames shows the same. */
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

/** The phases in which the model's side goes on by itself. */
const BY_ITSELF: ReadonlySet<Phase['kind']> = new Set(['planning', 'replying', 'judging', 'acting']);

/** Whether nothing changes now but by what the model does: nobody is asked, and nothing of the user's runs. */
function worksAlone(state: State): boolean {
  return BY_ITSELF.has(rootOf(state).phase.kind) && state.questions.length === 0 && state.shell.running === undefined;
}

/**
 * The changes of an engine as they are drawn: once a turn of the event loop, so that what follows from one answer in
 * one go is drawn once, and a key that has come meanwhile is looked at before. What the model does by itself is drawn
 * at frame rate, so that no step of it waits until a screen is drawn; what begins that, what ends it, and what the user
 * does meanwhile at once.
 * @param onUser subscribes to what the user does
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

/** Lines made anew when the source has another version. */
export function linesOf(source: Changing, make: () => readonly string[]): () => readonly string[] {
  let made: { readonly version: number; readonly lines: readonly string[] } | undefined;
  return () => {
    if (made?.version !== source.version) made = { version: source.version, lines: make() };
    return made.lines;
  };
}

/** A source that changes by itself, every so many ms while somebody looks. */
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
