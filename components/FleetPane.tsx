import { useReveal, useScreen } from '../hooks/context.ts';
import type { useFleet } from '../hooks/useFleet.ts';
import { useTicker } from '../hooks/useFrames.ts';
import { fleetRows } from '../src/ui/screen/fleet-rows.ts';
import { Lines } from './Lines.tsx';

type Props = {
  readonly fleet: NonNullable<ReturnType<typeof useFleet>>;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
};

/** The hosts of a fleet at work, a row each. */
export function FleetPane({ fleet, columns, rows }: Props) {
  const screen = useScreen();
  useTicker(true);
  const reveal = useReveal();
  const told = { goal: reveal(fleet.goal), rows: fleet.rows(), key: screen.keyFor('global', 'abort') };
  return <Lines lines={fleetRows(told, rows, screen.renderContext(columns))} />;
}
