import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { useNorris } from '../hooks/useNorris.ts';
import { NO_PANEL } from '../src/screen/ui.ts';
import { Field } from './Field.tsx';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

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
