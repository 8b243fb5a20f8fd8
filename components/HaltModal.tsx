import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { useArming } from '../hooks/useOverlay.ts';
import type { QuestionWords } from '../src/screen/question.ts';
import type { QuestionUi } from '../src/screen/question-dialog.ts';
import { buttonText, type QuestionLayout } from '../src/screen/question-layout.ts';
import { Field } from './Field.tsx';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

const BODY_ROLES = { action: 'strong', tree: 'strong', impact: 'warning', claim: 'dim' } as const;

const FORM_HINT = ' e fills it in · Tab and Enter, or the letter ';

type Props = {
  readonly words: QuestionWords;
  readonly question: QuestionUi;
  readonly layout: QuestionLayout;
  readonly columns: number;
};

/** The question that stops everything: what, why, where, and the answers (HA-1). Keys reach it once it is armed. */
export function HaltModal({ words, question, layout, columns }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  useArming(question.id);
  const { body, top, shown } = layout;
  const role = words.danger ? 'error' : 'warning';
  const more = body.length > shown ? ` ↑↓ ${top + 1}–${top + shown} of ${body.length} ` : '';
  const title = paint(words.danger ? 'halt' : 'button', ` ${words.title} `);
  const lines = body.slice(top, top + shown).map(({ kind, text }) => `  ${paint(BODY_ROLES[kind], text)}`);
  const place = words.place === '' ? [] : [`  ${paint('dim', words.place)}`];
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines
        lines={[rule(title, more, columns, role, paint), ...layout.reasons.map((line) => `  ${paint(role, line)}`)]}
      />
      {question.edit === undefined ? (
        <Lines lines={lines} />
      ) : (
        <Field
          key={question.form?.at}
          value={question.edit}
          onChange={(edit) => screen.questionDialog.show({ edit })}
          onSubmit={(text) => screen.questionDialog.submitEdit(text)}
        />
      )}
      <Lines
        lines={[
          ...place,
          ...buttonRows(words, layout, question, paint),
          rule(hintOf(words, question), '', columns, role, paint),
        ]}
      />
    </Box>
  );
}

function hintOf({ editable, choices }: QuestionWords, { armed, hurried, edit, noting, form }: QuestionUi): string {
  if (!armed) return hurried ? ' ready in a moment: keys pressed too early do nothing ' : ' ready in a moment ';
  if (form) return edit === undefined ? FORM_HINT : ' Enter: next field · Tab back and forth · Esc: look it over ';
  if (noting) return ' Enter skips and tells the model this · Esc goes back ';
  if (edit !== undefined) return ' Enter judges the changed command anew · Esc leaves it as it was ';
  const always = choices.some(({ answer }) => answer === 'always') ? ' · P: not asked again for this tool' : '';
  return ` Tab and Enter, or the letter${editable ? ' · e edits the command' : always} `;
}

/** The buttons as the layout has placed them. */
function buttonRows(
  words: QuestionWords,
  { buttons }: QuestionLayout,
  { focus, armed }: QuestionUi,
  paint: ReturnType<typeof useScreen>['paint'],
): readonly string[] {
  const rows = new Map<number, string[]>();
  for (const [index, { label, key }] of words.choices.entries()) {
    const text = buttonText(label, key);
    const row = rows.get(buttons[index]?.y ?? 0) ?? [];
    rows.set(buttons[index]?.y ?? 0, row);
    row.push(armed ? (index === focus ? paint('button', text) : text) : paint('dim', text));
  }
  return [...rows.values()].map((row) => `  ${row.join(' ')}`);
}
