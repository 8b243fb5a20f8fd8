/** One token → what it does, by where the keyboard is. The only listener of the terminal's tokens. */
import { isEditorCommand, runCommand } from '../editor/commands.ts';
import { recordTyped, toNormal, VI_INSERT, type ViState, viKey } from '../editor/vi.ts';
import type { Binding, KeyCommand, KeyContext } from '../keymap/table.ts';
import type { KeyToken, MouseToken, PasteToken, Token } from '../terminal/token.ts';
import { dialogHandlers, fieldHandlers, haltHandlers, pressMouse, typeOn } from './handlers/dialogs.ts';
import { globalHandlers, type Handlers } from './handlers/global.ts';
import { menuHandlers, typeIntoMenu } from './handlers/menu.ts';
import { openPalette } from './handlers/palette.ts';
import { background, promptHandlers } from './handlers/prompt.ts';
import { transcriptHandlers } from './handlers/transcript.ts';
import { encodeKey, encodePaste } from './program-keys.ts';
import { edits, type Screen } from './screen.ts';

const HANDLERS: Readonly<Record<KeyContext, Handlers>> = {
  global: {
    ...globalHandlers,
    palette: (screen) => openPalette(screen, pressable(screen), (binding) => press(screen, binding)),
  },
  prompt: promptHandlers,
  menu: menuHandlers,
  field: fieldHandlers,
  transcript: transcriptHandlers,
  halt: haltHandlers,
  dialog: dialogHandlers,
  program: {
    focusPrompt: (screen) => screen.ui.update({ keyboard: 'prompt' }),
    background: (screen) => void background(screen),
  },
};

/** Where keys go now. What is on top decides. */
function contextOf(screen: Screen): KeyContext {
  const { question, panel } = screen.ui.get();
  if (question) return question.edit === undefined ? 'halt' : 'field';
  switch (panel.kind) {
    case 'goal':
    case 'find':
      return 'field';
    case 'help':
    case 'confirmAbort':
      return 'dialog';
    case 'choices':
      return 'menu';
    case 'scroll':
      return 'transcript';
    case 'none':
      return screen.keyboard.owner ? 'program' : 'prompt';
  }
}

/** What can be pressed at the prompt, once for each thing it does; what edits the line is no use in a list. */
function pressable(screen: Screen): readonly Binding[] {
  const found = screen.keys
    .bindings('prompt')
    .filter((each) => each.chords.length > 0 && handles(each) && !edits(each.command));
  return found.filter(({ command }) => command !== 'submit' && command !== 'palette');
}

function press(screen: Screen, { command }: Binding): void {
  run(screen, 'prompt', command, { type: 'key', name: 'enter', ctrl: false, alt: false, shift: false, event: 'press' });
}

/** Whether anything happens for a binding: what does not is not offered in the help. */
export function handles({ context, command }: Binding): boolean {
  const own = HANDLERS[context][command] ?? HANDLERS.global[command];
  return (
    own !== undefined || (context === 'prompt' && edits(command)) || (context === 'field' && isEditorCommand(command))
  );
}

/** Takes a token. Terminal replies end here: they are nobody's input. */
export function takeToken(screen: Screen, token: Token): void {
  if (token.type === 'key') takeKey(screen, token);
  else if (token.type === 'paste') takePaste(screen, token);
  else if (token.type === 'mouse') takeMouse(screen, token);
  else if (token.type === 'focus') screen.notifier.focus(token.focused);
}

function takeKey(screen: Screen, key: KeyToken): void {
  if (key.event === 'release') return;
  const context = contextOf(screen);
  if (context === 'prompt' && (waits(screen, key) || isVi(screen, key))) return;
  if (!key.ctrl || key.name !== 'd') screen.leaveAsked = false;
  const resolution = screen.keys.resolve(key, context);
  screen.whichKey(screen.keys.pending());
  screen.ui.update({ hint: undefined });
  // An abort is the one thing that a question not yet armed lets through: it runs nothing.
  const passes = resolution.kind === 'pending' || (resolution.kind === 'command' && resolution.command === 'abort');
  const asked = context === 'halt' || screen.ui.get().question;
  if (asked && !passes && !screen.questionDialog.ready()) return typeOn(screen, key);
  switch (resolution.kind) {
    case 'command':
      return run(screen, context, resolution.command, key);
    case 'unbound':
      for (const each of resolution.keys) unbound(screen, context, each);
      return;
    case 'pending':
    case 'cancelled':
    case 'ignored':
      return;
  }
}

/** Whether vi's normal mode took the key. */
function isVi(screen: Screen, key: KeyToken): boolean {
  if (screen.keys.pending()) return false;
  const { taken, command } = takeViKey(screen, key);
  if (command !== undefined) run(screen, 'prompt', command as KeyCommand, key);
  else if (taken) screen.ui.update({ hint: undefined });
  return taken || command !== undefined;
}

/** Whether a key is held until it is known whom it is for; one that does not type ends the waiting. */
function waits(screen: Screen, key: KeyToken): boolean {
  const { ahead } = screen.keyboard;
  const types = key.text !== undefined || key.name === 'enter' || key.name === 'backspace';
  if (types) return ahead.hold(() => takeKey(screen, key));
  if (key.ctrl && key.name === 'c') ahead.drop();
  else ahead.release();
  return false;
}

function run(screen: Screen, context: KeyContext, command: KeyCommand, key: KeyToken): void {
  const handler = HANDLERS[context][command] ?? HANDLERS.global[command];
  if (handler) handler(screen, key);
  else if (context === 'prompt') screen.edit(command);
  else if (context === 'field') screen.field.edit(command);
}

function unbound(screen: Screen, context: KeyContext, key: KeyToken): void {
  switch (context) {
    case 'prompt':
      if (key.text !== undefined) screen.type(key.text);
      return;
    case 'field':
      return screen.field.feed(key);
    case 'program':
      return typeIntoProgram(screen, key);
    case 'menu':
      return typeIntoMenu(screen, key);
    case 'halt':
      screen.questionDialog.stray();
      return typeOn(screen, key);
    case 'transcript':
    case 'dialog':
    case 'global':
      return;
  }
}

function takePaste(screen: Screen, paste: PasteToken): void {
  const context = contextOf(screen);
  if (screen.ui.get().question && !screen.questionDialog.ready()) return;
  switch (context) {
    case 'prompt':
      if (screen.keyboard.ahead.hold(() => takePaste(screen, paste))) return;
      return screen.paste(paste.text);
    case 'field':
      return screen.field.feed(paste);
    case 'program':
      return pasteToProgram(screen, paste);
    default:
      return;
  }
}

function typeIntoProgram({ keyboard: { owner } }: Screen, key: KeyToken): void {
  owner?.write(encodeKey(key, owner.keyboard));
}

/**
 * Lines that the program does not read would be the shell's next commands, one by one: a pasted block waits in the
 * prompt.
 */
function pasteToProgram(screen: Screen, paste: PasteToken): void {
  const { owner } = screen.keyboard;
  if (!owner) return;
  if (owner.asks || owner.fullScreen || !/[\r\n]/.test(paste.text.trimEnd()))
    return owner.write(encodePaste(paste, owner.keyboard));
  screen.takeKeyboard('prompt');
  screen.paste(paste.text);
  screen.hint('the program reads nothing: what you pasted waits here');
}

function takeMouse(screen: Screen, mouse: MouseToken): void {
  if (mouse.action === 'press' && screen.ui.get().question && !screen.questionDialog.ready()) return;
  pressMouse(screen, mouse);
}

// vi's keys at the prompt, where the user's shell has them (IN-8).

/** `taken`: nobody else is to see the key; `command`: what it runs instead. */
type ViAnswer = { readonly taken: boolean; readonly command?: string };

const NOT_TAKEN: ViAnswer = { taken: false };
const TAKEN: ViAnswer = { taken: true };

function takeViKey(screen: Screen, key: KeyToken): ViAnswer {
  if (!screen.app.viKeys()) return NOT_TAKEN;
  const { vi = VI_INSERT } = screen.ui.get();
  return vi.mode === 'normal' ? inNormal(screen, vi, key) : inInsert(screen, vi, key);
}

function inInsert(screen: Screen, vi: ViState, key: KeyToken): ViAnswer {
  const { editor } = screen.ui.get();
  if (isEscape(key)) {
    const result = toNormal(vi, editor);
    screen.ui.update({ vi: result.vi, editor: result.editor });
    return TAKEN;
  }
  if (leaves(key)) screen.ui.update({ vi: undefined });
  else if (key.name === 'backspace' && vi.recording !== undefined)
    screen.ui.update({ vi: { ...vi, recording: vi.recording.slice(0, -1) } });
  else if (isPlain(key) && vi.recording !== undefined) screen.ui.update({ vi: recordTyped(vi, key.text ?? '') });
  // Replace mode writes over what is there.
  if (vi.mode === 'replace' && isPlain(key)) screen.setEditor(runCommand(editor, 'deleteForward'));
  return NOT_TAKEN;
}

function inNormal(screen: Screen, vi: ViState, key: KeyToken): ViAnswer {
  if (leaves(key)) {
    screen.ui.update({ vi: undefined });
    return NOT_TAKEN;
  }
  if (isEscape(key) && vi.pending !== '') {
    screen.ui.update({ vi: { ...vi, pending: '' } });
    return TAKEN;
  }
  if (key.ctrl && key.name === 'r') return { taken: true, command: 'redo' };
  if (!isPlain(key)) return NOT_TAKEN;
  const { vi: next, editor, command } = viKey(vi, screen.ui.get().editor, key.text ?? '');
  screen.ui.update({ vi: next });
  screen.setEditor(editor);
  if (command === 'submit' || command === 'searchHistory') screen.ui.update({ vi: undefined });
  return { taken: true, ...(command === undefined ? {} : { command }) };
}

/** The next line begins in insert mode. */
function leaves(key: KeyToken): boolean {
  return key.name === 'enter' || (key.ctrl && key.name === 'c');
}

function isEscape(key: KeyToken): boolean {
  return (key.name === 'escape' || (key.ctrl && key.name === '[')) && !key.alt;
}

function isPlain(key: KeyToken): boolean {
  return key.text !== undefined && !key.ctrl && !key.alt;
}
