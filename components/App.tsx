import { Box } from 'ink';
import { ScreenContext, useScreen, useTerminalSize, useUi } from '../hooks/context.ts';
import { useOverlay } from '../hooks/useOverlay.ts';
import { layoutOf } from '../src/ui/screen/prompt-view.ts';
import type { Screen } from '../src/ui/screen/screen.ts';
import { FieldCursor } from './Field.tsx';
import { Surface } from './Lines.tsx';
import { Upper } from './MainPart.tsx';
import { Overlay } from './Overlay.tsx';
import { Rail } from './Rail.tsx';
import { StatusBar } from './StatusBar.tsx';

/** The whole screen: what was said, what is asked, the prompt, one line of status. Exactly as high as the terminal. */
export function App() {
  const { columns, rows } = useTerminalSize();
  const { prompt } = useScreen();
  const asks = useUi((ui) => ui.question !== undefined);
  const rail = useUi((ui) => ui.rail);
  const rowsOfPrompt = useUi(() => prompt.rows);
  const { main, status } = layoutOf(rows, rowsOfPrompt, asks);
  const overlay = useOverlay(columns, main);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Box height={main - overlay.rows}>
        <Box flexDirection="column" width={columns - rail}>
          <Upper columns={columns - rail} rows={main - overlay.rows} />
        </Box>
        {rail > 0 && <Rail columns={rail} rows={main - overlay.rows} />}
      </Box>
      <Overlay overlay={overlay} columns={columns} />
      {status > 0 && <Prompt />}
      {status > 0 && <StatusBar columns={columns} />}
      <FieldCursor overlay={overlay} columns={columns} main={main} />
    </Box>
  );
}

/** The screen for a terminal. */
export function Root({ screen }: { readonly screen: Screen }) {
  return (
    <ScreenContext value={screen}>
      <App />
    </ScreenContext>
  );
}

/** The prompt with its name and the text being typed. */
function Prompt() {
  const { prompt } = useScreen();
  return <Surface lines={prompt.lines} source={prompt} cursor={prompt.cursor} />;
}
