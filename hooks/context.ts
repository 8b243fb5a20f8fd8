import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Screen } from '../src/ui/screen/screen.ts';
import type { Ui } from '../src/ui/screen/ui.ts';

/** The screen that every component and hook uses. */
export const ScreenContext = createContext<Screen | undefined>(undefined);

/** Returns the screen that the component belongs to. */
export function useScreen(): Screen {
  const screen = useContext(ScreenContext);
  if (!screen) throw new Error('components must be drawn inside a ScreenContext');
  return screen;
}

/** Returns a function that puts the user's own secrets in place of their handles in a text (SE-3). */
export function useReveal(): (text: string) => string {
  const { secrets } = useScreen().app.engine.services;
  return (text) => secrets.reveal(text);
}

/** Returns what `select` picks from the screen's own state; redraws only when that value changes. */
export function useUi<T>(select: (ui: Ui) => T): T {
  const { ui, onUi } = useScreen();
  return useSyncExternalStore(onUi, () => select(ui.get()));
}

export type Size = { readonly columns: number; readonly rows: number };

/** Returns the height of a part of the screen; inline a part is only as high as its contents. */
export function useTall(): (rows: number) => { readonly height: number } | { readonly maxHeight: number } {
  const { inline } = useScreen();
  return (rows) => (inline ? { maxHeight: rows } : { height: rows });
}

export function useTerminalSize(): Size {
  return useUi((ui) => ui.size);
}
