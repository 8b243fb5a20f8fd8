import { useSyncExternalStore } from 'react';
import { useScreen } from './context.ts';

/** How far the running tools say they are, one a line; empty when none says so. */
export function useProgress(): string {
  const { engine } = useScreen().aish;
  return useSyncExternalStore(
    (listener) => engine.subscribe(listener),
    () => [...engine.live.progress.values()].join('\n'),
  );
}
