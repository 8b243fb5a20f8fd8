import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { useNorris } from '../hooks/useNorris.ts';
import { NO_PANEL } from '../src/ui/screen/ui.ts';
import { Field } from './Field.tsx';
import { Lines, rule } from './Lines.tsx';

/** Asks for a goal; Enter in the empty field takes the last one (NO-1). */
export function GoalDialog({ text, columns }: { readonly text: string; readonly columns: number }) {
  const { ui, paint } = useScreen();
  const { lastGoal, start } = useNorris();
  const submit = (value: string) => {
    const goal = value.trim() || lastGoal || '';
    if (goal === '') return;
    ui.update({ panel: NO_PANEL });
    start(goal);
  };
  const hint = ` Enter starts${lastGoal ? ' (empty: the last goal again)' : ''} · Esc closes `;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={[rule(paint('accent', ' ⚡ Norris: what is the goal? '), '', columns, 'accent', paint)]} />
      <Field
        value={text}
        placeholder={lastGoal ?? 'find all Python files changed last week and count them'}
        onChange={(value) => ui.update({ panel: { kind: 'goal', text: value } })}
        onSubmit={submit}
      />
      <Lines lines={[rule(hint, '', columns, 'accent', paint)]} />
    </Box>
  );
}

type Props = {
  readonly text: string;
  readonly note: string;
  readonly filters: boolean;
  readonly columns: number;
};

/** The search in the transcript: it goes to the first match while it is typed. */
export function FindField({ text, note, filters, columns }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  const right = note === '' ? ' Enter keeps it, Esc cancels ' : ` ${note} `;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines
        lines={[rule(paint('strong', filters ? ' only lines with ' : ' search '), right, columns, 'dim', paint)]}
      />
      <Field value={text} onChange={(value) => screen.navigator.find(value)} onSubmit={() => screen.navigator.keep()} />
    </Box>
  );
}

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
