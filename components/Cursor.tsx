import { useCursor } from 'ink';

/** Puts the terminal's own cursor at a cell, for input methods too. At most one is mounted; without one it is hidden. */
export function Cursor({ x, y }: { readonly x: number; readonly y: number }) {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x, y });
  return null;
}
