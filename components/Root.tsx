import { ScreenContext } from '../hooks/context.ts';
import { useKeys } from '../hooks/useKeys.ts';
import type { Screen } from '../src/screen/screen.ts';
import type { Terminal } from '../src/terminal/terminal.ts';
import { App } from './App.tsx';

type Props = { readonly screen: Screen; readonly terminal: Pick<Terminal, 'onToken'> };

/** The screen with its keys connected. */
export function Root({ screen, terminal }: Props) {
  useKeys(screen, terminal);
  return (
    <ScreenContext value={screen}>
      <App />
    </ScreenContext>
  );
}
