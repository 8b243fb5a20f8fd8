/** Loads the screen in pieces, each short enough for a key to wait for it. */

/** @param turn lets pending keys through between two pieces */
export async function loadScreen(turn: () => Promise<void>): Promise<typeof import('./main.tsx')> {
  for (const load of [
    () => import('react'),
    () => import('yoga-layout'),
    () => import('ink'),
    // This module compiles some forty regular expressions.
    () => import('../src/ui/render/markdown.ts'),
    () => import('./App.tsx'),
  ]) {
    await load();
    await turn();
  }
  return import('./main.tsx');
}
