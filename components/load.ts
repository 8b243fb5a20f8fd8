/** The screen in pieces, each short enough for a key to wait for it. */

/** @param turn lets pending keys through between two pieces */
export async function loadScreen(turn: () => Promise<void>): Promise<typeof import('./main.tsx')> {
  await import('react');
  await turn();
  await import('ink');
  await turn();
  return import('./main.tsx');
}
