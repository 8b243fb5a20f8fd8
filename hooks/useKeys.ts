import { useEffect } from 'react';
import { takeToken } from '../src/screen/input.ts';
import type { Screen } from '../src/screen/screen.ts';
import type { Terminal } from '../src/terminal/terminal.ts';

/** Hands the terminal's tokens to the screen while the component is mounted. The only listener there is. */
export function useKeys(screen: Screen, terminal: Pick<Terminal, 'onToken'>): void {
  useEffect(() => terminal.onToken((token) => takeToken(screen, token)), [terminal, screen]);
}
