/** Streams beside the machine, drawn at frame rate. */

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

/**
 * The same subscription, told of once a turn of the event loop: what follows from one answer in one go is drawn once, and
 * a key that has come meanwhile is looked at before.
 */
export function oncePerTurn(subscribe: Changing['subscribe']): Changing['subscribe'] {
  const listeners = new Set<() => void>();
  let due: NodeJS.Immediate | undefined;
  let unsubscribe = () => {};
  const tell = () => {
    due = undefined;
    for (const listener of [...listeners]) listener();
  };
  return (listener) => {
    if (listeners.size === 0) {
      unsubscribe = subscribe(() => {
        due ??= setImmediate(tell);
      });
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearImmediate(due);
      due = undefined;
      unsubscribe();
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
