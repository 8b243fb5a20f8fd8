import { useScreen } from '../hooks/context.ts';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

/** Asks before a run is ended by the key that also starts one. The focus is on going on. */
export function ConfirmAbort({ focus, columns }: { readonly focus: number; readonly columns: number }) {
  const { paint } = useScreen();
  const buttons = [' end it (y) ', ' let it continue (n) '].map((text, index) =>
    index === focus ? paint('button', text) : text,
  );
  return (
    <Lines
      lines={[
        rule(paint('warning', ' End what is running? '), '', columns, 'warning', paint),
        `  ${buttons.join(' ')}`,
        rule(' the conversation stays ', '', columns, 'warning', paint),
      ]}
    />
  );
}
