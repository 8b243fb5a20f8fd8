import { useUi } from './context.ts';

export type Size = { readonly columns: number; readonly rows: number };

/** The size of the terminal in cells. */
export function useTerminalSize(): Size {
  return useUi((ui) => ui.size);
}
