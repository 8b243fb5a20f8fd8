import { useMemo } from 'react';
import { useUi } from '../hooks/context.ts';
import { type QuestionWords, wordsOf } from '../hooks/screen/question.ts';
import { layoutQuestion, type QuestionLayout } from '../hooks/screen/question-layout.ts';
import type { QuestionUi } from '../hooks/screen/questions.ts';
import type { Panel } from '../hooks/screen/ui.ts';
import { useQuestion } from '../hooks/useNorris.ts';
import { Choices, choicesRows } from './Choices.tsx';
import { CONFIRM_ROWS, ConfirmAbort } from './ConfirmAbort.tsx';
import { fieldRows } from './Field.tsx';
import { GoalDialog } from './GoalDialog.tsx';
import { HaltModal } from './HaltModal.tsx';
import { Help } from './Help.tsx';

/** What lies between the transcript and the prompt, and the rows it takes. */
export type OverlayState =
  | { readonly kind: 'none'; readonly rows: 0 }
  | {
      readonly kind: 'question';
      readonly rows: number;
      readonly words: QuestionWords;
      readonly question: QuestionUi;
      readonly layout: QuestionLayout;
    }
  | { readonly kind: 'panel'; readonly rows: number; readonly panel: Panel };

/** A question comes before everything else. `main` is the rows of the screen above the prompt. */
export function useOverlay(columns: number, main: number): OverlayState {
  const head = useQuestion();
  const question = useUi((ui) => ui.question);
  const panel = useUi((ui) => ui.panel);
  return useMemo(() => {
    if (head && question?.id === head.id) {
      const words = wordsOf(head);
      const edit = question.edit === undefined ? 0 : fieldRows(question.edit, columns);
      const layout = layoutQuestion(words, { columns, rows: main, bottom: main, top: question.top });
      const rows = edit === 0 ? layout.height : Math.min(main, layout.height - layout.shown + edit);
      return { kind: 'question', rows, words, question, layout };
    }
    const rows = panelRows(panel, columns, main);
    return rows === 0 ? { kind: 'none', rows: 0 } : { kind: 'panel', rows, panel };
  }, [head, question, panel, columns, main]);
}

function panelRows(panel: Panel, columns: number, main: number): number {
  switch (panel.kind) {
    case 'none':
    case 'scroll':
    case 'find':
      return 0;
    case 'help':
      return main;
    case 'goal':
      return Math.min(main, 2 + fieldRows(panel.text, columns));
    case 'confirmAbort':
      return Math.min(main, CONFIRM_ROWS);
    case 'choices':
      return choicesRows(panel, main);
  }
}

export function Overlay({ overlay, columns }: { readonly overlay: OverlayState; readonly columns: number }) {
  if (overlay.kind === 'none') return null;
  if (overlay.kind === 'question') {
    const { words, question, layout } = overlay;
    return <HaltModal key={question.id} words={words} question={question} layout={layout} columns={columns} />;
  }
  const { panel, rows } = overlay;
  switch (panel.kind) {
    case 'help':
      return <Help top={panel.top} columns={columns} rows={rows} />;
    case 'goal':
      return <GoalDialog text={panel.text} columns={columns} />;
    case 'confirmAbort':
      return <ConfirmAbort focus={panel.focus} columns={columns} />;
    case 'choices':
      return <Choices panel={panel} columns={columns} rows={rows} />;
    case 'none':
    case 'scroll':
    case 'find':
      return null;
  }
}
