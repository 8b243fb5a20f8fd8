/** The text of the open field: a question's command, a goal, a search. */
import type { FieldText } from './field-input.ts';
import type { QuestionDialog } from './question-dialog.ts';
import type { Store } from './store.ts';
import type { Ui } from './ui.ts';

type Parts = {
  readonly ui: Store<Ui>;
  readonly questions: QuestionDialog;
  /** A search is repeated at every change of its text. */
  find(text: string): void;
};

export function fieldText({ ui, questions, find }: Parts): FieldText {
  return {
    read() {
      const { question, panel } = ui.get();
      if (question) return question.edit;
      return panel.kind === 'goal' || panel.kind === 'find' ? panel.text : undefined;
    },
    write(text) {
      const { question, panel } = ui.get();
      if (question) questions.show({ edit: text });
      else if (panel.kind === 'goal') ui.update({ panel: { ...panel, text } });
      else if (panel.kind === 'find') find(text);
    },
  };
}
