import type { RailFacts } from '../src/ui/screen/rail.ts';
import { useScreen } from './context.ts';
import { useSession } from './useSession.ts';

/** What stands in the rail. */
export function useRail(): RailFacts {
  const screen = useScreen();
  useSession((state) => state);
  return screen.room.facts;
}
