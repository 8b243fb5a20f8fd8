import { useMemo } from 'react';
import { useUi } from '../hooks/context.ts';
import { useQuestion } from '../hooks/useNorris.ts';
import type { Pending } from '../src/keymap/resolver.ts';
import { type QuestionWords, wordsOf } from '../src/screen/question.ts';
import type { QuestionUi } from '../src/screen/question-dialog.ts';
import { layoutQuestion, type QuestionLayout } from '../src/screen/question-layout.ts';
import type { Panel } from '../src/screen/ui.ts';
import { Choices, choicesRows } from './Choices.tsx';
import { CONFIRM_ROWS, ConfirmAbort } from './ConfirmAbort.tsx';
import { fieldRows } from './Field.tsx';
import { FindField } from './FindField.tsx';
import { GoalDialog } from './GoalDialog.tsx';
import { HaltModal } from './HaltModal.tsx';
import { Help } from './Help.tsx';
import { WhichKey, whichRows } from './WhichKey.tsx';

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
  | { readonly kind: 'which'; readonly rows: number; readonly pending: Pending }
  | { readonly kind: 'panel'; readonly rows: number; readonly panel: Panel };

/** A question comes before everything else. `main` is the rows of the screen above the prompt. */
export function useOverlay(columns: number, main: number): OverlayState {
  const head = useQuestion();
  const question = useUi((ui) => ui.question);
  const panel = useUi((ui) => ui.panel);
  const which = useUi((ui) => ui.which);
  return useMemo(() => {
    if (head && question?.id === head.id) {
      const words = wordsOf(head, question);
      const edit = question.edit === undefined ? 0 : fieldRows(question.edit, columns);
      const layout = layoutQuestion(words, { columns, rows: main, bottom: main, top: question.top });
      const rows = edit === 0 ? layout.height : Math.min(main, layout.height - layout.shown + edit);
      return { kind: 'question', rows, words, question, layout };
    }
    if (which) return { kind: 'which', rows: Math.min(main, whichRows(which, columns)), pending: which };
    const rows = panelRows(panel, columns, main);
    return rows === 0 ? { kind: 'none', rows: 0 } : { kind: 'panel', rows, panel };
  }, [head, question, panel, which, columns, main]);
}

function panelRows(panel: Panel, columns: number, main: number): number {
  switch (panel.kind) {
    case 'none':
    case 'scroll':
      return 0;
    case 'find':
      return Math.min(main, 1 + fieldRows(panel.text, columns));
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
  if (overlay.kind === 'which') return <WhichKey pending={overlay.pending} columns={columns} rows={overlay.rows} />;
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
    case 'find':
      return <FindField text={panel.text} note={panel.note} columns={columns} />;
    case 'none':
    case 'scroll':
      return null;
  }
}
