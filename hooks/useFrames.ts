import { useCallback, useSyncExternalStore } from 'react';

/** A stream beside the machine: it counts its changes and tells of each. */
export type Changing = { readonly version: number; subscribe(listener: () => void): () => void };

/** How often streams are drawn. Keys are drawn at once; this bounds the work that tokens and output cause. */
const FRAME_MS = 33;

/** The version of `source`, drawn at most once a frame; the first change after a pause is drawn at once. */
export function useFrames(source: Changing | undefined): number {
  const subscribe = useCallback(
    (notify: () => void) => {
      if (!source) return () => {};
      let timer: NodeJS.Timeout | undefined;
      let drawn = 0;
      const draw = () => {
        timer = undefined;
        drawn = performance.now();
        notify();
      };
      const unsubscribe = source.subscribe(() => {
        if (timer) return;
        const wait = FRAME_MS - (performance.now() - drawn);
        if (wait <= 0) draw();
        else timer = setTimeout(draw, wait);
      });
      return () => {
        clearTimeout(timer);
        unsubscribe();
      };
    },
    [source],
  );
  return useSyncExternalStore(subscribe, () => source?.version ?? 0);
}
