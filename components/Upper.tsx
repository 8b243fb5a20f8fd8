import { useScreen, useUi } from '../hooks/context.ts';
import { useRunFacts } from '../hooks/useRunFacts.ts';
import { runHeaderLines } from '../src/ui/screen/run-header.ts';
import { Lines } from './Lines.tsx';
import { MainPart } from './MainPart.tsx';

type Props = { readonly columns: number; readonly rows: number };

/** Everything above the overlay: what a run is about stays on top of what it does. */
export function Upper({ columns, rows }: Props) {
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
