/** A value with listeners: what React's useSyncExternalStore wants, and nothing more. */
export type Store<T> = {
  get(): T;
  /** Listeners hear of it only when the value is another one. */
  set(value: T): void;
  update(change: Partial<T>): void;
  subscribe(listener: () => void): () => void;
};

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const store: Store<T> = {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    update(change) {
      const keys = Object.keys(change) as (keyof T)[];
      if (keys.some((key) => !Object.is(change[key], value[key]))) store.set({ ...value, ...change });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return store;
}
