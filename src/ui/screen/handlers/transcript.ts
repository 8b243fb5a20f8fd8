/**
 * Keys while the keyboard moves the transcript: scroll, search, fold, copy, and rerun, edit or save a command (UI-2).
 */

import { submitLine } from '../../../commands/submit.ts';
import type { Entry } from '../../../session/entry.ts';
import { messageOf } from '../../../text/errors.ts';
import { setText } from '../../editor/commands.ts';
import { partOf } from '../entries/lines.ts';
import type { Screen } from '../screen.ts';
import type { Handlers } from './global.ts';

type Exec = Extract<Entry, { kind: 'exec' }>;

const NO_COMMAND = 'no command is selected: [ and ] go from one to the next';

function withCommand(act: (screen: Screen, entry: Exec) => void) {
  return (screen: Screen) => {
    const { entry } = screen.navigator;
    if (entry?.kind === 'exec') act(screen, entry);
    else screen.hint(NO_COMMAND);
  };
}

/** Puts a command into the prompt, as if typed. */
function edit(screen: Screen, { command }: Exec): void {
  leave(screen);
  const { kind, forced } = screen.app.classify(command);
  const line = kind === 'shell' && !forced ? command : `!${command}`;
  screen.setEditor(setText(screen.ui.get().editor, line));
}

/** The user must see a command of the model's in the prompt before it runs as theirs. */
function rerun(screen: Screen, entry: Exec): void {
  if (entry.by === 'model') return edit(screen, entry);
  leave(screen);
  const { command: text, private: hidden } = entry;
  void submitLine(screen.app, text, { kind: 'shell', forced: true, private: hidden, text, why: '' });
}

/** Goes back to the selected question, after asking what to do with the files. */
function rewind(screen: Screen): void {
  const { asked = [] } = screen.app.engine.conversation;
  const number = asked.findIndex(({ key }) => key === screen.navigator.selected) + 1;
  if (number === 0)
    return screen.hint('no question of this conversation is selected: { and } go from one entry to the next');
  leave(screen);
  const line = `:rewind ${number}`;
  void submitLine(screen.app, line, screen.app.classify(line));
}

async function save(screen: Screen, entry: Exec): Promise<void> {
  const path = await screen.app.saveOutput(entry.command, partOf(entry, 'output') ?? '', entry.result?.file);
  screen.hint(`saved in ${path}`);
}

function stepCommand(direction: -1 | 1) {
  return (screen: Screen) => {
    if (!screen.navigator.stepCommand(direction)) screen.hint(`no ${direction < 0 ? 'earlier' : 'later'} command`);
  };
}

/** Goes from the prompt to the last command that has ended: a running one has no output to act on yet. */
export function focusCommand(screen: Screen): void {
  screen.navigator.enter();
  if (screen.navigator.entry?.kind !== 'exec') screen.navigator.stepCommand(-1);
  if (screen.app.engine.state.shell.running) screen.hint('a command is still running; this is the one before it');
}

/** Gives the keyboard to the transcript. */
export function enterTranscript(screen: Screen): void {
  screen.navigator.enter();
}

function leave(screen: Screen): void {
  screen.navigator.leave();
  screen.view.end();
}

/** Folds or unfolds an entry, by default the selected one. */
export function fold(screen: Screen, key?: string): void {
  const problem = screen.navigator.toggleFold(key);
  if (problem !== undefined) screen.hint(problem);
  else if (screen.inline && key !== undefined) screen.view.print(key);
}

function next(direction: -1 | 1) {
  return (screen: Screen) => {
    if (screen.navigator.query === '') screen.navigator.begin();
    else screen.navigator.next(direction);
  };
}

export const transcriptHandlers: Handlers = {
  commandPrevious: stepCommand(-1),
  commandNext: stepCommand(1),
  rerun: withCommand(rerun),
  rewind,
  editCommand: withCommand(edit),
  copyCommand: (screen) => screen.hint(screen.navigator.copy('command')),
  copyOutput: (screen) => screen.hint(screen.navigator.copy('output')),
  filterOutput: withCommand((screen) => void screen.navigator.beginFilter()),
  saveOutput: withCommand((screen, entry) => {
    save(screen, entry).catch((error: unknown) => screen.hint(`not saved: ${messageOf(error)}`));
  }),
  bookmark: (screen) => screen.hint(screen.navigator.toggleMark()),
  bookmarkNext(screen) {
    if (!screen.navigator.nextMark()) screen.hint('nothing is marked; m marks the selected entry');
  },
  leaveTranscript: leave,
  scrollHalfUp: (screen) => screen.view.halfPage(-1),
  scrollHalfDown: (screen) => screen.view.halfPage(1),
  entryPrevious: (screen) => void screen.navigator.step(-1),
  entryNext: (screen) => void screen.navigator.step(1),
  toggleFold: (screen) => fold(screen),
  copyEntry: (screen) => screen.hint(screen.navigator.copy()),
  copyCode: (screen) => screen.hint(screen.navigator.copyCode()),
  search: (screen) => screen.navigator.begin(),
  searchNext: next(1),
  searchPrevious: next(-1),
};
