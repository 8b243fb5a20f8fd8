import { Box, Text } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { useArming, useSeen } from '../hooks/useOverlay.ts';
import { useSession } from '../hooks/useSession.ts';
import type { QuestionLayout } from '../src/ui/screen/halt/layout.ts';
import { questionPicture } from '../src/ui/screen/halt/picture.ts';
import type { QuestionWords } from '../src/ui/screen/halt/words.ts';
import { fieldRows } from '../src/ui/screen/overlay.ts';
import type { QuestionUi } from '../src/ui/screen/ui.ts';
import { Field } from './Field.tsx';
import { Lines } from './Lines.tsx';

type Props = {
  readonly words: QuestionWords;
  readonly question: QuestionUi;
  readonly layout: QuestionLayout;
  readonly columns: number;
};

/** The question that stops everything: what, why, where, and the answers (HA-1). Keys reach it once it is armed. */
export function HaltModal({ words, question, layout, columns }: Props) {
  const screen = useScreen();
  const { theme } = screen.renderContext(columns);
  useArming(question.id);
  const { top, shown, inset, width } = layout;
  const aside = words.aside !== undefined;
  useSeen(question.id, columns, aside ? 0 : top, aside ? 0 : top + shown);
  const waiting = useSession((state) => state.questions.length);
  const { upper, body, lower, border } = questionPicture({ words, question, layout, waiting, theme });
  const rows = question.edit === undefined ? 0 : fieldRows(question.edit, width - 2 * inset);
  const side = Array.from({ length: rows }, () => border).join('\n');
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={upper} />
      {(question.edit === undefined || question.noting) && <Lines lines={body} />}
      {question.edit !== undefined && (
        <Box width={width} flexShrink={0}>
          <Box width={inset} flexShrink={0}>
            <Text>{side}</Text>
          </Box>
          <Box width={width - 2 * inset} flexShrink={0}>
            <Field
              key={question.form?.at}
              value={question.edit}
              onChange={(edit) => screen.questionDialog.show({ edit })}
              onSubmit={(text) => screen.questionDialog.submitEdit(text)}
            />
          </Box>
          <Box width={inset} flexShrink={0} justifyContent="flex-end">
            <Text>{side}</Text>
          </Box>
        </Box>
      )}
      <Lines lines={lower} />
    </Box>
  );
}
