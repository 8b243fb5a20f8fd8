/** Keys of the prompt that do more than edit (IN-3, IN-4, IN-7, NO-1). Editing keys go to the editor by name. */

import { startGoal } from '../../../commands/attachments.ts';
import { sendToBackground } from '../../../commands/jobs.ts';
import { submitLine } from '../../../commands/submit.ts';
import { messageOf } from '../../../text/errors.ts';
import { setText, submitted } from '../../editor/commands.ts';
import { expand, isEmpty } from '../../editor/state.ts';
import type { Screen } from '../screen.ts';
import { NO_PANEL } from '../ui.ts';
import type { Handlers } from './global.ts';
import { complete, searchHistory } from './menu.ts';
import { enterTranscript, focusCommand, fold } from './transcript.ts';

function submit(screen: Screen): void {
  screen.expandAbbreviation();
  const { editor, goalNext, flip, asked } = screen.ui.get();
  if (isEmpty(editor)) return;
  const line = expand(editor);
  const { route } = screen;
  // As at a shell's own prompt, Enter after an incomplete command asks for the rest.
  if (!goalNext && route.kind === 'shell' && screen.app.incomplete(route.text)) {
    screen.edit('newline');
    return screen.hint('the command is incomplete: continue it here, or drop it with Ctrl-C');
  }
  if (!goalNext && route.unsure !== undefined) {
    if (flip === undefined && asked !== line) return screen.ui.update({ asked: line });
    screen.app.rememberRoute(route);
  }
  screen.failure.goesOn();
  screen.ui.update({ editor: submitted(editor), flip: undefined, goalNext: false, asked: undefined });
  screen.view.end();
  if (goalNext) {
    screen.app.history.add(`:norris ${line.trim()}`);
    return void startGoal(screen.app, line.trim());
  }
  if (/^:norris\s*$/.test(line.trim())) {
    screen.app.history.add(line);
    return askForGoal(screen);
  }
  const { shell } = screen.app;
  if (route.kind === 'shell' && !screen.mayRun(route.text)) return;
  screen.exitAsked = false;
  const idle = !shell.busy;
  void submitLine(screen.app, line, route);
  if (idle && shell.busy) screen.keyboard.expect();
}

/**
 * The key that starts and ends runs: idle with a text, the text is the goal; idle and empty, it asks for one; during a
 * run, it asks whether to end it.
 */
function norris(screen: Screen): void {
  const { conversation } = screen.app.engine;
  const { editor, goalNext } = screen.ui.get();
  if (conversation.phase.kind !== 'idle') screen.ui.update({ panel: { kind: 'confirmAbort', focus: 1 } });
  else if (isEmpty(editor)) askForGoal(screen);
  else screen.ui.update({ goalNext: !goalNext });
}

/**
 * Lets the plan wait for the user before its first step (PP-6); where no run is in progress, continues the last one.
 */
function norrisPlan(screen: Screen): void {
  const { phase, lastGoal } = screen.app.engine.conversation;
  if (phase.kind !== 'idle') void screen.app.engine.dispatch({ type: 'planHeld' });
  else if (lastGoal === undefined) screen.hint('there is no goal to continue yet');
  else void screen.app.engine.dispatch({ type: 'norrisContinued' });
}

function askForGoal(screen: Screen): void {
  const { phase } = screen.app.engine.conversation;
  if (phase.kind === 'idle') screen.ui.update({ panel: { kind: 'goal', text: '' } });
  else screen.ui.update({ panel: { kind: 'confirmAbort', focus: 1 } });
}

/** Clears the line first, then stops the user's own command, then the run (HA-3). */
function interrupt(screen: Screen): void {
  const { editor } = screen.ui.get();
  if (!isEmpty(editor)) screen.ui.update({ editor: submitted(editor), flip: undefined, goalNext: false });
  else if (screen.app.shell.running) screen.app.shell.running.interrupt();
  else if (!screen.abort()) screen.hint('Ctrl-D leaves');
}

/** Sends the foreground command to the background (EX-8). */
export async function background(screen: Screen): Promise<void> {
  const why = await sendToBackground(screen.app).catch(messageOf);
  if (why !== undefined) screen.hint(why);
}

/** Leaves the program. As in a shell, the first attempt with running jobs warns and the second leaves. */
function leave(screen: Screen): void {
  if (screen.leaveAsked || screen.mayLeave('Ctrl-D')) return screen.app.quit();
  screen.leaveAsked = true;
}

/** Opens the text in an external editor and puts it back into the prompt; nothing runs (IN-4). */
async function externalEditor(screen: Screen): Promise<void> {
  const text = expand(screen.ui.get().editor);
  const failed = (error: unknown) => ({ ok: false, problem: messageOf(error) }) as const;
  const edited = await screen.lend(() => screen.app.edit(text)).catch(failed);
  if (edited.ok) screen.setEditor(setText(screen.ui.get().editor, edited.text));
  else screen.hint(edited.problem);
}

/** Returns the newest waiting line to the prompt; without one, resets the choice made for this line. */
function takeBack(screen: Screen): void {
  const { engine, shell } = screen.app;
  const { phase } = engine.conversation;
  if (phase.kind === 'replying' && phase.run.kind === 'chat') return void screen.abort();
  const queued = engine.conversation.inbox.findLast((item) => item.kind === 'line');
  if (queued?.kind === 'line') {
    void engine.dispatch({ type: 'lineTakenBack', line: queued.id });
    return;
  }
  const line = shell.takeBack();
  if (line !== undefined) screen.giveBack(line);
  else screen.ui.update({ goalNext: false, flip: undefined, panel: NO_PANEL });
}

/** Switches the line between shell and question; a line with a prefix or `:` is not a guess to switch. */
function flipVerdict(screen: Screen): void {
  const { editor, flip, goalNext } = screen.ui.get();
  if (goalNext) return screen.ui.update({ goalNext: false });
  if (isEmpty(editor)) return;
  const { kind, forced } = screen.route;
  if (forced || kind === 'meta') return screen.hint('the prefix already says how the line is taken');
  screen.ui.update({ flip: flip === undefined ? (kind === 'shell' ? 'ai' : 'shell') : undefined });
}

/** The failed command's output is in the context already. */
function askAboutFailure(screen: Screen): void {
  const { question } = screen.failure;
  if (question === undefined) return screen.hint('the last command did not fail');
  void submitLine(screen.app, question, { kind: 'ai', forced: true, text: question, why: '' });
}

export const promptHandlers: Handlers = {
  toggleRail: (screen) => screen.toggleRail(),
  submit,
  norris,
  norrisPlan,
  interrupt,
  takeBack,
  flipVerdict,
  background: (screen) => void background(screen),
  deleteForwardOrLeave(screen) {
    if (screen.ui.get().editor.text === '') leave(screen);
    else screen.edit('deleteForward');
  },
  focusProgram: (screen) => screen.takeKeyboard('program'),
  focusTranscript: enterTranscript,
  focusCommand,
  toggleFold(screen) {
    const key = screen.view.lastLong();
    if (key === undefined) screen.hint('no long output to fold');
    else fold(screen, key);
  },
  complete: (screen) => void complete(screen),
  searchHistory,
  askAboutFailure,
  clearView: (screen) => screen.clearView(),
  externalEditor: (screen) => void externalEditor(screen),
};
