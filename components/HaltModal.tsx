import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { useArming, useSeen } from '../hooks/useOverlay.ts';
import { cut } from '../src/render/segments.ts';
import { MARK } from '../src/screen/danger.ts';
import type { QuestionWords } from '../src/screen/question.ts';
import type { QuestionUi } from '../src/screen/question-dialog.ts';
import { buttonText, isSeen, type QuestionLayout } from '../src/screen/question-layout.ts';
import { textWidth } from '../src/text/display.ts';
import { Field } from './Field.tsx';
import { Lines, rule } from './Lines.tsx';

const BODY_ROLES = {
  verb: 'error',
  part: undefined,
  impact: 'warning',
  heading: 'dim',
  action: undefined,
  tree: 'strong',
  added: 'added',
  removed: 'removed',
  hunk: 'hunk',
  claim: 'dim',
  place: 'dim',
  gap: undefined,
} as const;

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
  useSeen(question.id, columns, words.aside ? 0 : top, words.aside ? 0 : top + shown);
  const role = words.danger ? 'error' : 'warning';
  const more = body.length > shown ? ` ↑↓ ${top + 1}–${top + shown} of ${body.length} ` : '';
  const title = paint(
    words.danger ? 'halt' : 'button',
    cut(` ${words.title} `, columns - 4 - (words.dangers.length > 0 ? more.length : 0)),
  );
  const lines = body.slice(top, top + shown).map((line) => `  ${drawn(line, columns - 2, paint)}`);
  const place =
    words.place === '' || body.some(({ kind }) => kind === 'place') ? [] : [`  ${paint('dim', words.place)}`];
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
          rule(hintOf(words, question, layout), '', columns, role, paint),
        ]}
      />
    </Box>
  );
}

type Paint = ReturnType<typeof useScreen>['paint'];

/** A line of the body; the marks within it get the colour of danger. */
function drawn({ kind, text, right }: QuestionLayout['body'][number], width: number, paint: Paint): string {
  const role = BODY_ROLES[kind];
  if (role !== undefined) {
    const gap = right === undefined ? 0 : width - textWidth(text) - textWidth(right) - 1;
    const note =
      right === undefined || gap < 2 ? '' : ' '.repeat(gap) + paint(right === 'undoable' ? 'success' : 'error', right);
    return paint(role, text) + note;
  }
  const [danger = ''] = paint('danger', '\0').split('\0');
  return text.replaceAll(MARK, danger);
}

function hintOf(
  { editable, choices, aside, hasDiff }: QuestionWords,
  { armed, hurried, edit, noting, form, seen }: QuestionUi,
  layout: QuestionLayout,
): string {
  if (layout.tooSmall) return ' too small a window to show it: s or a ';
  if (!armed) return hurried ? ' ready in a moment: keys pressed too early do nothing ' : ' ready in a moment ';
  if (form) return edit === undefined ? FORM_HINT : ' Enter: next field · Tab back and forth · Esc: look it over ';
  if (noting) return ' Enter skips and tells the model this · Esc goes back ';
  if (edit !== undefined) return ' Enter judges the changed command anew · Esc leaves it as it was ';
  if (aside) return ' d: back to the list ';
  if (!isSeen(layout, seen)) return ' p works once you have seen it all: ↓ ';
  const always = choices.some(({ answer }) => answer === 'always') ? ' · P: not asked again for this tool' : '';
  if (hasDiff) return ' Tab and Enter, or the letter · d: the whole diff · n skips with a note ';
  return ` Tab and Enter, or the letter${editable ? ' · e edits, n skips with a note' : always} `;
}

/** The buttons as the layout has placed them. */
function buttonRows(
  words: QuestionWords,
  layout: QuestionLayout,
  { focus, armed }: QuestionUi,
  paint: ReturnType<typeof useScreen>['paint'],
): readonly string[] {
  const { buttons } = layout;
  const rows = new Map<number, string[]>();
  for (const [index, { answer, label, key }] of words.choices.entries()) {
    const text = buttonText(label, key);
    const row = rows.get(buttons[index]?.y ?? 0) ?? [];
    rows.set(buttons[index]?.y ?? 0, row);
    const works = answer !== 'proceed' || !layout.tooSmall;
    row.push(armed && works ? (index === focus ? paint('button', text) : text) : paint('dim', text));
  }
  return [...rows.values()].map((row) => `  ${row.join(' ')}`);
}
