import { useSyncExternalStore } from 'react';
import type { FleetRun } from '../src/contracts/fleet.ts';
import { useScreen } from './context.ts';

/** The fleet at work; redraws when a host of it is another step further. */
export function useFleet(): FleetRun | undefined {
  const { app, onEngine } = useScreen();
  const { fleet } = app;
  const run = useSyncExternalStore(onEngine, () => fleet.run);
  useSyncExternalStore(onEngine, () =>
    run
      ?.rows()
      .map(({ status, commands }) => `${status}${commands.length}`)
      .join(' '),
  );
  return run;
}
