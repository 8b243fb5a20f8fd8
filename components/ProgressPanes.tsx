import { Box } from 'ink';
import { useReveal, useScreen } from '../hooks/context.ts';
import type { useFleet } from '../hooks/useExecutor.ts';
import { useTicker } from '../hooks/useFrames.ts';
import type { useAgents } from '../hooks/useNorris.ts';
import { wrapText } from '../src/text/wrap.ts';
import { agentLine } from '../src/ui/screen/entries/delegate.ts';
import { fleetRows } from '../src/ui/screen/progress.ts';
import { Lines } from './Lines.tsx';

type Props = {
  readonly agents: ReturnType<typeof useAgents>;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
};

/** A line for each sub-agent that works. What they write is not drawn here, however many they are. */
export function AgentsPane({ agents: { running, waiting }, columns, rows }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  const now = useTicker(true);
  const reveal = useReveal();
  const shown = running.slice(0, rows);
  const context = screen.renderContext(columns);
  const left = waiting + running.length - shown.length;
  const more = left > 0 && shown.length < rows ? [paint('dim', `  ${left} more to come`)] : [];
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={[...shown.map((agent) => agentLine(agent, now, context, reveal)), ...more]} />
    </Box>
  );
}

type ProgressPaneProps = {
  /** One line for each tool. */
  readonly progress: string;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
};

/** How far the running tools are, by their own word. */
export function ProgressPane({ progress, columns, rows }: ProgressPaneProps) {
  const { paint } = useScreen();
  const lines = progress.split('\n').flatMap((line) => wrapText(line, columns - 2).slice(0, 1));
  return <Lines lines={lines.slice(-rows).map((line) => paint('marker', '⋯ ') + paint('dim', line))} />;
}

type FleetPaneProps = {
  readonly fleet: NonNullable<ReturnType<typeof useFleet>>;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
};

/** The hosts of a fleet at work, a row each. */
export function FleetPane({ fleet, columns, rows }: FleetPaneProps) {
  const screen = useScreen();
  useTicker(true);
  const reveal = useReveal();
  const told = { goal: reveal(fleet.goal), rows: fleet.rows(), key: screen.keyFor('global', 'abort') };
  return <Lines lines={fleetRows(told, rows, screen.renderContext(columns))} />;
}
