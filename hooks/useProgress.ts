import { useSyncExternalStore } from 'react';
import { useScreen } from './context.ts';

/** The progress that running tools report, one a line; empty when none does. */
export function useProgress(): string {
  const { engine } = useScreen().app;
  return useSyncExternalStore(
    (listener) => engine.subscribe(listener),
    () => [...engine.live.progress.values()].join('\n'),
  );
}
