import { Box } from 'ink';
import { memo } from 'react';
import { useUi } from '../hooks/context.ts';
import { useBroker } from '../hooks/useBroker.ts';
import { useExecutor } from '../hooks/useExecutor.ts';
import { useScrolledAway } from '../hooks/useViewport.ts';
import { ExecPane } from './ExecPane.tsx';
import { StreamingPane } from './StreamingPane.tsx';
import { TranscriptPane } from './TranscriptPane.tsx';

type Props = { readonly columns: number; readonly rows: number };

/** The transcript and, at its end, what is being written and what runs. Scrolled away, the streams make room. */
export const MainPart = memo(function MainPart({ columns, rows }: Props) {
  const reply = useBroker();
  const { user, model } = useExecutor();
  const keyboard = useUi((ui) => ui.keyboard === 'program' && ui.panel.kind === 'none' && !ui.question);
  const away = useScrolledAway();
  const streams = away ? 0 : [reply, user, model].filter(Boolean).length;
  const share = streams > 1 ? Math.floor(rows / streams) : rows;
  return (
    <Box flexDirection="column" justifyContent="flex-end" height={rows} overflowY="hidden">
      <TranscriptPane columns={columns} rows={rows} />
      {!away && reply && <StreamingPane reply={reply} columns={columns} rows={share} />}
      {!away && model && <ExecPane command={model} columns={columns} rows={share} keyboard={keyboard && !user} />}
      {!away && user && <ExecPane command={user} columns={columns} rows={share} keyboard={keyboard} />}
    </Box>
  );
});
