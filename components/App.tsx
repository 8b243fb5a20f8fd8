import { Box } from 'ink';
import { useLayoutEffect } from 'react';
import { ScreenContext, useReveal, useScreen, useTall, useTerminalSize, useUi } from '../hooks/context.ts';
import { useTicker } from '../hooks/useFrames.ts';
import { useOverlay } from '../hooks/useOverlay.ts';
import { useRail } from '../hooks/useStatus.ts';
import { layoutOf } from '../src/ui/screen/prompt-view.ts';
import { railLines } from '../src/ui/screen/rail.ts';
import type { Screen } from '../src/ui/screen/screen.ts';
import { FieldCursor } from './Field.tsx';
import { Lines, Surface } from './Lines.tsx';
import { Upper } from './MainPart.tsx';
import { Overlay } from './Overlay.tsx';
import { StatusBar } from './StatusBar.tsx';

/**
 * The whole screen, exactly as high as the terminal: transcript, open question, prompt, one line of status. Inline it
 * is as high as what is in progress, and at most as high as the terminal.
 */
export function App() {
  const { columns, rows } = useTerminalSize();
  const tall = useTall();
  const { prompt } = useScreen();
  const asks = useUi((ui) => ui.question !== undefined);
  const rail = useUi((ui) => ui.rail);
  const rowsOfPrompt = useUi(() => prompt.rows);
  const { main, status } = layoutOf(rows, rowsOfPrompt, asks);
  const overlay = useOverlay(columns, main);
  return (
    <Box flexDirection="column" width={columns} {...tall(rows)} overflow="hidden">
      <Box {...tall(main - overlay.rows)}>
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

/** Provides the screen to all components. */
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

type Props = { readonly columns: number; readonly rows: number };

/**
 * The rail: what runs beside the conversation, updated once a second. Ink keeps the space free; the compositor paints
 * it.
 */
function Rail({ columns, rows }: Props) {
  const screen = useScreen();
  const { compositor } = screen;
  const facts = useRail();
  const now = useTicker(true);
  const context = screen.renderContext(columns);
  const lines = railLines(facts, now, context, useReveal()).slice(0, rows);
  const edge = context.paint('rule', '│');
  const all = [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => edge)];
  useLayoutEffect(() => {
    if (compositor) compositor.side = { columns, rows, lines: all };
  });
  useLayoutEffect(() => {
    if (!compositor) return;
    return () => {
      compositor.side = undefined;
    };
  }, [compositor]);
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      {!compositor && <Lines lines={all} />}
    </Box>
  );
}
