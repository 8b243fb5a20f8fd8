import { Box } from 'ink';
import { memo } from 'react';
import { useScreen, useUi } from '../hooks/context.ts';
import { useBroker } from '../hooks/useBroker.ts';
import { useExecutor, useFleet, useProgress } from '../hooks/useExecutor.ts';
import { useAgents, useRunFacts } from '../hooks/useNorris.ts';
import { useSaidSince } from '../hooks/useSession.ts';
import { useAttached, useWaits } from '../hooks/useStatus.ts';
import { useScrolledAway } from '../hooks/useViewport.ts';
import { attachedLine } from '../src/ui/screen/attached.ts';
import { runHeaderLines } from '../src/ui/screen/progress.ts';
import { ExecPane } from './ExecPane.tsx';

import { Lines } from './Lines.tsx';
import { AgentsPane, FleetPane, ProgressPane } from './ProgressPanes.tsx';
import { StreamingPane } from './StreamingPane.tsx';
import { TranscriptPane } from './TranscriptPane.tsx';
import { WaitingRow } from './WaitingRow.tsx';

type Props = { readonly columns: number; readonly rows: number };

/** The transcript and, at its end, what is being written and what runs. Scrolled away, the streams make room. */
const MainPart = memo(function MainPart({ columns, rows }: Props) {
  const screen = useScreen();
  const reply = useBroker();
  const { user, models, job } = useExecutor();
  const agents = useAgents();
  const keyboard = useUi((ui) => ui.keyboard === 'program' && ui.panel.kind === 'none' && !ui.question);
  const progress = useProgress();
  const fleet = useFleet();
  const away = useScrolledAway();
  // Said once: a rail has them.
  const beside = useUi((ui) => ui.rail > 0);
  const busy = agents.running.length > 0;
  // A program that fills its pane must not hide the answer to a question that was asked meanwhile.
  const said = useSaidSince(user?.op);
  const streams = [reply, user, job, ...models, busy && !beside, progress !== '', fleet, said].filter(Boolean).length;
  const waits = useWaits();
  const attached = useAttached();
  const room = rows - [waits, attached].filter(Boolean).length;
  const share = streams > 1 ? Math.max(1, Math.floor(room / streams)) : room;
  return (
    <Box flexDirection="column" justifyContent="flex-end" height={rows} overflowY="hidden">
      <TranscriptPane columns={columns} rows={room} />
      {!away && (
        <>
          {reply && <StreamingPane reply={reply} columns={columns} rows={share} />}
          {models.map((model) => (
            <ExecPane
              key={model.op}
              command={model}
              columns={columns}
              rows={share}
              keyboard={keyboard && !user && !job && model === models.at(-1)}
            />
          ))}
          {progress !== '' && <ProgressPane progress={progress} columns={columns} rows={share} />}
          {busy && !beside && <AgentsPane agents={agents} columns={columns} rows={share} />}
          {fleet && <FleetPane fleet={fleet} columns={columns} rows={share} />}
          {user && <ExecPane command={user} columns={columns} rows={share} keyboard={keyboard && !job} />}
          {job && <ExecPane command={job} columns={columns} rows={share} keyboard={keyboard} />}
        </>
      )}
      {waits && <WaitingRow activity={waits} columns={columns} />}
      {attached && <Lines lines={[attachedLine(attached, screen.renderContext(columns))]} />}
    </Box>
  );
});

type UpperProps = { readonly columns: number; readonly rows: number };

/** Everything above the overlay: what a run is about stays on top of what it does. */
export function Upper({ columns, rows }: UpperProps) {
  const screen = useScreen();
  const facts = useRunFacts();
  const beside = useUi((ui) => ui.rail > 0);
  const shown = facts && (beside ? { ...facts, planElsewhere: true as const } : facts);
  const lines = shown ? runHeaderLines(shown, rows, screen.renderContext(columns)) : [];
  return (
    <>
      {lines.length > 0 && <Lines lines={lines} />}
      <MainPart columns={columns} rows={rows - lines.length} />
    </>
  );
}
