import { useSyncExternalStore } from 'react';
import type { ViewportState } from '../src/ui/render/viewport.ts';
import { useScreen } from './context.ts';

/** Returns the lines of the transcript that are visible in a window of this size. */
export function useViewport(columns: number, rows: number): ViewportState {
  const { view, onView } = useScreen();
  useSyncExternalStore(onView, () => view.version);
  return view.visible(columns, rows);
}

/** Whether the user has scrolled away from the end. */
export function useScrolledAway(): boolean {
  const { view, onView } = useScreen();
  return useSyncExternalStore(onView, () => !view.followsTail);
}
