/** Keys at a question, in a dialog, and in a dialog's text field. */

import type { Question } from '../../../session/question.ts';
import { messageOf } from '../../../text/errors.ts';
import { visible } from '../../../text/sanitize.ts';
import { fromVisible } from '../../../text/spelled.ts';
import { stripStyles } from '../../../text/style.ts';
import { lineWidth } from '../../../text/wrap.ts';
import type { KeyToken, MouseToken } from '../../terminal/token.ts';
import type { Choice } from '../halt/choices.ts';
import { isSeen } from '../halt/layout.ts';
import { wordsOf } from '../halt/words.ts';

import { linkAt } from '../mouse.ts';
import type { Screen } from '../screen.ts';
import { NO_PANEL } from '../ui.ts';
import { type Handlers, openHelp } from './global.ts';

/** Returns the question's buttons. */
function choices(screen: Screen): readonly Choice[] {
  const { head } = screen.questionDialog;
  return head ? wordsOf(head).choices : [];
}

/** Returns whether every dangerous part was on screen: only then may the action run (HA-8). */
function seenAll(screen: Screen): boolean {
  const layout = screen.questionLayout;
  return layout !== undefined && isSeen(layout, screen.ui.get().question?.seen);
}

/** Answers with a real effect. */
const RUNS: ReadonlySet<Choice['answer']> = new Set(['proceed', 'always', 'apply']);

/** Gives one of the answers that the question offers. */
function give(screen: Screen, answer: Choice['answer']): void {
  if (!choices(screen).some((choice) => choice.answer === answer)) return;
  if (RUNS.has(answer) && !seenAll(screen)) return;
  if (answer === 'edit') return edit(screen);
  if (answer === 'note') return screen.questionDialog.show({ edit: '', noting: true });
  if (answer === 'proceed' && screen.questionDialog.head?.kind === 'form') {
    screen.questionDialog.sendForm((form, content) => screen.app.forms.fill(form, content));
  } else if (answer === 'skip') screen.questionDialog.answer({ kind: 'skip' });
  else screen.questionDialog.answer({ kind: answer });
}

/** Opens the command in a field, the hosts of a fleet's question, or the fields of a form. */
function edit(screen: Screen): void {
  const { head } = screen.questionDialog;
  if (head?.kind === 'form') screen.questionDialog.enterFields();
  if (head?.kind === 'halt' && head.action.kind === 'command')
    screen.questionDialog.show({ edit: visible(head.action.command), help: false });
  if (head?.kind === 'plan') void editPlan(screen, head);
  if (head?.kind === 'fleet') screen.questionDialog.show({ edit: head.hosts.join(', '), help: false });
}

/** Opens a plan in the user's own editor, one task a line, and shows it again afterwards. */
async function editPlan(screen: Screen, { id, session, tasks }: Extract<Question, { kind: 'plan' }>): Promise<void> {
  const text = tasks.map(visible).join('\n');
  const failed = (error: unknown) => ({ ok: false, problem: messageOf(error) }) as const;
  const edited = await screen.lend(() => screen.app.edit(text)).catch(failed);
  if (!edited.ok) return screen.hint(edited.problem);
  if (edited.text.trim() === text) return;
  const answer = { kind: 'edit', command: fromVisible(edited.text) } as const;
  void screen.app.engine.dispatch({ type: 'answered', question: id, answer }, session);
}

/** Handles a letter of a question that was pressed alone. */
function letter(act: (screen: Screen) => void) {
  return (screen: Screen, key: KeyToken) =>
    screen.questionDialog.byLetter(
      () => act(screen),
      () => typeOn(screen, key),
    );
}

/** Continues the draft of a user who was typing when the question came: no key is lost, and none answers. */
export function typeOn(screen: Screen, key: KeyToken): void {
  const { editor, question } = screen.ui.get();
  if (key.text !== undefined && editor.text !== '' && question?.edit === undefined) screen.type(key.text);
}

/** Returns from the help or the diff to the question. */
function backToQuestion(screen: Screen): void {
  screen.questionDialog.show({ help: false, diff: false, top: 0 });
}

/** At a HALT that the mode would block, one key widens the mode and lets the action run (HA-6). */
function widen(mode: 'project' | 'unrestricted') {
  return (screen: Screen): void => {
    const { head } = screen.questionDialog;
    if (head?.kind === 'spend' && mode === 'project') give(screen, 'proceed');
    else if (head?.kind === 'mode') give(screen, mode === 'project' ? 'proceed' : mode);
    else if (head?.kind === 'halt' && head.offers?.includes(mode) && seenAll(screen))
      screen.questionDialog.answer({ kind: 'proceed', mode });
  };
}

function moveFocus(screen: Screen, by: number): void {
  const { length } = choices(screen);
  const focus = screen.ui.get().question?.focus ?? 0;
  if (length > 0) screen.questionDialog.show({ focus: (focus + by + length) % length });
}

function scroll(by: number | 'home' | 'end' | 'pageUp' | 'pageDown') {
  return (screen: Screen) => {
    const top = screen.ui.get().question?.top ?? 0;
    const { body = [], shown = 0 } = screen.questionLayout ?? {};
    const page = Math.max(1, shown - 1);
    const last = Math.max(0, body.length - shown);
    const steps = { home: -top, end: last - top, pageUp: -page, pageDown: page };
    const step = typeof by === 'number' ? by : steps[by];
    screen.questionDialog.show({ top: Math.max(0, Math.min(last, top + step)) });
  };
}

export const haltHandlers: Handlers = {
  proceed: letter((screen) => give(screen, 'proceed')),
  always: letter((screen) => give(screen, 'always')),
  tryIt: letter((screen) => give(screen, 'try')),
  applyTrial: letter((screen) => give(screen, 'apply')),
  showDiff(screen) {
    const { head } = screen.questionDialog;
    const { diff = false } = screen.ui.get().question ?? {};
    if (head?.kind === 'halt' && head.trial) screen.questionDialog.show({ diff: !diff, top: 0 });
  },
  skip: letter((screen) => give(screen, 'skip')),
  toProject: letter(widen('project')),
  upgrade: letter(widen('unrestricted')),
  abortRun: (screen) => give(screen, 'abort'),
  editAction: letter(edit),
  help(screen) {
    const { help = false } = screen.ui.get().question ?? {};
    screen.questionDialog.show({ help: !help, top: 0 });
  },
  cancel: backToQuestion,
  toggleWhole(screen) {
    const { whole = false } = screen.ui.get().question ?? {};
    screen.questionDialog.show({ whole: !whole, top: 0 });
  },
  skipWithNote: letter((screen) => {
    const { head } = screen.questionDialog;
    if (head?.kind === 'mode') give(screen, 'skip');
    else if (head?.kind === 'spend') give(screen, 'abort');
    else give(screen, 'note');
  }),
  next: (screen) => moveFocus(screen, 1),
  previous: (screen) => moveFocus(screen, -1),
  choose(screen) {
    const choice = choices(screen)[screen.ui.get().question?.focus ?? -1];
    if (choice) give(screen, choice.answer);
  },
  scrollLineUp: scroll(-1),
  scrollLineDown: scroll(1),
  scrollPageUp: scroll('pageUp'),
  scrollPageDown: scroll('pageDown'),
  scrollHome: scroll('home'),
  scrollEnd: scroll('end'),
};

function formField(screen: Screen, by: -1 | 1): void {
  if (screen.ui.get().question?.form) screen.questionDialog.leaveField(by);
}

/** The field takes its own keys; Esc leaves the field, not the question. */
export const fieldHandlers: Handlers = {
  // The help would open below the question and take the field’s keys.
  help: (screen) => (screen.ui.get().question ? screen.hint('Esc leaves the field, ? helps') : openHelp(screen)),
  next: (screen) => formField(screen, 1),
  previous: (screen) => formField(screen, -1),
  cancel(screen) {
    if (screen.ui.get().question) screen.questionDialog.leaveField();
    else if (screen.ui.get().panel.kind === 'find') screen.navigator.cancel();
    else screen.ui.update({ panel: NO_PANEL });
  },
};

function scrollHelp(by: number) {
  return (screen: Screen) => {
    const { panel } = screen.ui.get();
    if (panel.kind === 'help') screen.ui.update({ panel: { ...panel, top: Math.max(0, panel.top + by) } });
  };
}

function close(screen: Screen): void {
  screen.ui.update({ panel: NO_PANEL });
}

function turn(screen: Screen): void {
  const { panel } = screen.ui.get();
  if (panel.kind === 'confirmAbort') screen.ui.update({ panel: { ...panel, focus: 1 - panel.focus } });
}

function abortRun(screen: Screen): void {
  close(screen);
  screen.abort();
}

export const dialogHandlers: Handlers = {
  approve: (screen) => (screen.ui.get().panel.kind === 'confirmAbort' ? abortRun(screen) : close(screen)),
  deny: close,
  help: close,
  next: turn,
  previous: turn,
  choose(screen) {
    const { panel } = screen.ui.get();
    if (panel.kind === 'confirmAbort' && panel.focus === 0) abortRun(screen);
    else close(screen);
  },
  scrollLineUp: scrollHelp(-1),
  scrollLineDown: scrollHelp(1),
  scrollPageUp: scrollHelp(-10),
  scrollPageDown: scrollHelp(10),
  scrollHome: scrollHelp(Number.NEGATIVE_INFINITY),
  scrollEnd: scrollHelp(1000),
};

/** The wheel scrolls; a click presses a button of a question. */

export function pressMouse(screen: Screen, mouse: MouseToken): void {
  if (mouse.action === 'wheel') {
    if (mouse.direction === 'up') screen.wheel(-1);
    else if (mouse.direction === 'down') screen.wheel(1);
    return;
  }
  if (mouse.button !== 'left' && mouse.action !== 'release') return;
  if (mouse.action === 'drag') return screen.selection.drag(mouse.x, mouse.y);
  if (mouse.action === 'release') return endSelection(screen, mouse);
  if (mouse.action !== 'press' || screen.ui.get().question?.edit !== undefined) return;
  const button = screen.questionLayout?.buttons.find(
    ({ x, y, width }) => mouse.y === y && mouse.x >= x && mouse.x < x + width,
  );
  if (button) give(screen, button.choice.answer);
  else screen.selection.press(mouse.x, mouse.y);
}

/** The cells at the end of a code block's first row that take a click. */
const COPY_CELLS = 6;

/** Copies the selection; a click on *copy* copies the code below it; a click on a fold opens it. */
function endSelection(screen: Screen, { x, y }: MouseToken): void {
  const ended = screen.selection.release(x, y);
  if (ended && 'text' in ended && ended.text !== '') {
    const [line = ''] = ended.text.trim().split('\n');
    screen.hint(screen.navigator.copyText(ended.text, line.length > 30 ? `${line.slice(0, 29)}…` : line));
  } else if (ended && 'clicked' in ended) {
    const { text, key } = ended.clicked;
    const link = linkAt(text, x);
    const atCopy = lineWidth(text) - x <= COPY_CELLS ? screen.navigator.copyCodeAt(ended.clicked) : undefined;
    if (link) screen.links.follow(link);
    else if (atCopy !== undefined) screen.hint(atCopy);
    else if (stripStyles(text).startsWith('┆ ')) screen.view.toggleFold(key);
  }
}
