import { Box } from 'ink';
import { ScreenContext, useTerminalSize, useUi } from '../hooks/context.ts';
import { useKeys } from '../hooks/useKeys.ts';
import { useOverlay } from '../hooks/useOverlay.ts';
import { useEditorLayout } from '../hooks/usePrompt.ts';
import { layoutOf } from '../src/screen/layout.ts';
import type { Screen } from '../src/screen/screen.ts';
import type { Terminal } from '../src/terminal/terminal.ts';
import { FieldCursor, ProgramCursor } from './Cursor.tsx';
import { MainPart } from './MainPart.tsx';
import { Overlay } from './Overlay.tsx';
import { Prompt } from './Prompt.tsx';
import { StatusBar } from './StatusBar.tsx';

/** The whole screen: what was said, what is asked, the prompt, one line of status. Exactly as high as the terminal. */
export function App() {
  const { columns, rows } = useTerminalSize();
  const { layout, widths } = useEditorLayout(columns);
  const awake = useUi((ui) => ui.keyboard === 'prompt' && !ui.question && panelLeavesPrompt(ui.panel.kind));
  const typing = useUi((ui) => ui.keyboard === 'program' && !ui.question && ui.panel.kind === 'none');
  const { main, prompt } = layoutOf(rows, layout.rows.length);
  const overlay = useOverlay(columns, main);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <MainPart columns={columns} rows={main - overlay.rows} />
      <Overlay overlay={overlay} columns={columns} />
      <Prompt layout={layout} widths={widths} rows={prompt} top={main} asleep={!awake} />
      <StatusBar columns={columns} />
      <FieldCursor overlay={overlay} columns={columns} main={main} />
      {typing && <ProgramCursor columns={columns} main={main} />}
    </Box>
  );
}

/** A list of choices belongs to what is being typed. */
function panelLeavesPrompt(kind: string): boolean {
  return kind === 'none' || kind === 'choices';
}

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
