/** Dispatches each token by where the keyboard is. The only listener of the terminal's tokens. */

import type { KeyboardModes } from '../../contracts/commands.ts';
import { isEditorCommand, runCommand } from '../editor/commands.ts';
import { recordTyped, toNormal, VI_INSERT, type ViState, viKey } from '../editor/vi.ts';
import type { Binding, KeyCommand, KeyContext } from '../keymap/table.ts';
import type { KeyToken, Modifiers, MouseToken, PasteToken, Token } from '../terminal/token.ts';
import { dialogHandlers, fieldHandlers, haltHandlers, pressMouse, typeOn } from './handlers/dialogs.ts';
import { globalHandlers, type Handlers } from './handlers/global.ts';
import { menuHandlers, typeIntoMenu } from './handlers/menu.ts';
import { listCommands, openPalette, runOnCommands } from './handlers/palette.ts';
import { background, promptHandlers } from './handlers/prompt.ts';
import { transcriptHandlers } from './handlers/transcript.ts';
import { runOnOffers } from './offers.ts';
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

/** Returns the context that keys go to: that of the topmost part. */
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
      return panel.index < 0 ? 'prompt' : 'menu';
    case 'scroll':
      return 'transcript';
    case 'none':
      return screen.keyboard.owner ? 'program' : 'prompt';
  }
}

/** Returns the bindings that do something at the prompt, each action once, without editing keys. */
function pressable(screen: Screen): readonly Binding[] {
  const found = screen.keys
    .bindings('prompt')
    .filter((each) => each.chords.length > 0 && handles(each) && !edits(each.command));
  return found.filter(({ command }) => command !== 'submit' && command !== 'palette');
}

function press(screen: Screen, { command }: Binding): void {
  run(screen, 'prompt', command, { type: 'key', name: 'enter', ctrl: false, alt: false, shift: false, event: 'press' });
}

/** Returns whether a binding does anything; the help leaves out those that don't. */
export function handles({ context, command }: Binding): boolean {
  const own = HANDLERS[context][command] ?? HANDLERS.global[command];
  return (
    own !== undefined || (context === 'prompt' && edits(command)) || (context === 'field' && isEditorCommand(command))
  );
}

/** Takes a token. Replies of the terminal end here: they are not input. */
export function takeToken(screen: Screen, token: Token): void {
  if (token.type === 'key') takeKey(screen, token);
  else if (token.type === 'paste') takePaste(screen, token);
  else if (token.type === 'mouse') takeMouse(screen, token);
  else if (token.type === 'focus') screen.notifier.focus(token.focused);
}

function takeKey(screen: Screen, key: KeyToken): void {
  if (key.event === 'release') return;
  pressKey(screen, key);
  // The key may have taken the offered correction.
  if (screen.failure.dropCorrection()) screen.prompt.refresh();
}

function pressKey(screen: Screen, key: KeyToken): void {
  const context = contextOf(screen);
  if (context === 'prompt' && (waits(screen, key) || isVi(screen, key))) return;
  if (!key.ctrl || key.name !== 'd') screen.leaveAsked = false;
  const resolution = screen.keys.resolve(key, context);
  screen.whichKey(screen.keys.pending());
  screen.ui.update({ hint: undefined });
  // An abort runs nothing, so it is the only answer that passes before a question is armed.
  const passes = resolution.kind === 'pending' || (resolution.kind === 'command' && resolution.command === 'abort');
  const asked = context === 'halt' || screen.ui.get().question;
  if (asked && !passes && !screen.questionDialog.ready(types(key))) return typeOn(screen, key);
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

/** Returns whether vi's normal mode took the key. */
function isVi(screen: Screen, key: KeyToken): boolean {
  if (screen.keys.pending()) return false;
  const { taken, command } = takeViKey(screen, key);
  if (command !== undefined) run(screen, 'prompt', command as KeyCommand, key);
  else if (taken) screen.ui.update({ hint: undefined });
  return taken || command !== undefined;
}

/** Returns whether a key is held until its receiver is known; a key that types nothing ends the wait. */
function waits(screen: Screen, key: KeyToken): boolean {
  const { ahead } = screen.keyboard;
  if (types(key)) return ahead.hold(() => takeKey(screen, key));
  if (key.ctrl && key.name === 'c') ahead.drop();
  else ahead.release();
  return false;
}

/** Returns whether the key can be part of a text. */
function types(key: KeyToken): boolean {
  return key.text !== undefined || key.name === 'enter' || key.name === 'backspace';
}

function run(screen: Screen, context: KeyContext, command: KeyCommand, key: KeyToken): void {
  if (context === 'prompt' && (runOnCommands(screen, command) || runOnOffers(screen, command))) return;
  const handler = HANDLERS[context][command] ?? HANDLERS.global[command];
  if (handler) handler(screen, key);
  else if (context === 'prompt') screen.edit(command);
  else if (context === 'field') screen.field.edit(command);
}

function unbound(screen: Screen, context: KeyContext, key: KeyToken): void {
  switch (context) {
    case 'prompt':
      if (key.text !== undefined) screen.type(key.text);
      if (key.text === '/') listCommands(screen);
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

/** Lines that the program leaves unread would be the shell's next commands, so a pasted block waits in the prompt. */
function pasteToProgram(screen: Screen, paste: PasteToken): void {
  const { owner } = screen.keyboard;
  if (!owner) return;
  if (owner.asks || owner.fullScreen || !/[\r\n]/.test(paste.text.trimEnd()))
    return owner.write(encodePaste(paste, owner.keyboard));
  screen.takeKeyboard('prompt');
  screen.paste(paste.text);
  screen.hint('the program is not reading input: what you pasted waits here');
}

function takeMouse(screen: Screen, mouse: MouseToken): void {
  if (mouse.action === 'press' && screen.ui.get().question && !screen.questionDialog.ready(false)) return;
  pressMouse(screen, mouse);
}

// vi's keys at the prompt, where the user's shell uses them (IN-8).

/** `taken`: the key is consumed. `command`: the command that it runs instead. */
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
  // Replace mode overwrites the character below the cursor.
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

// Encodes keys as the bytes that a terminal would send, for the program that has the keyboard (EX-4).

/** Keys with a code of their own, and that code in kitty's protocol. */
const NAMED: Readonly<Record<string, { readonly bytes: string; readonly code: number }>> = {
  enter: { bytes: '\r', code: 13 },
  tab: { bytes: '\t', code: 9 },
  backspace: { bytes: '\x7f', code: 127 },
  escape: { bytes: '\x1b', code: 27 },
  space: { bytes: ' ', code: 32 },
};

/** Final letters of cursor keys, and of the function keys that share their form. */
const CURSOR: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', end: 'F', home: 'H' };
const FUNCTION: Readonly<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };

/** `CSI number ~`. */
const TILDE: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** Ctrl with a key that is not a letter, as xterm sends it. */
const CONTROL: Readonly<Record<string, string>> = {
  space: '\0',
  '@': '\0',
  '[': '\x1b',
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
  '/': '\x1f',
  '?': '\x7f',
};

/** Returns the bytes that a key sends in a program's modes; empty for a release and for keys without a code. */
export function encodeKey(key: KeyToken, modes: KeyboardModes): string {
  if (key.event === 'release') return '';
  return functional(key, modes) ?? (modes.disambiguates ? disambiguated(key) : classic(key));
}

/** Returns xterm's number of a key's modifiers; 1 for none. */
function numberOf({ shift, alt, ctrl }: Modifiers): number {
  return 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

/**
 * Encodes cursor and function keys, equal in both protocols except F3, whose letter is the cursor report in kitty's.
 */
function functional(key: KeyToken, { disambiguates, applicationCursor }: KeyboardModes): string | undefined {
  const modifiers = numberOf(key);
  if (disambiguates && key.name === 'f3') return tilde(13, modifiers);
  const letter = CURSOR[key.name] ?? FUNCTION[key.name];
  if (letter !== undefined) {
    if (modifiers > 1) return `\x1b[1;${modifiers}${letter}`;
    const ss3 = key.name in FUNCTION ? !disambiguates : applicationCursor;
    return `\x1b${ss3 ? 'O' : '['}${letter}`;
  }
  const number = TILDE[key.name];
  return number === undefined ? undefined : tilde(number, modifiers);
}

function tilde(number: number, modifiers: number): string {
  return modifiers > 1 ? `\x1b[${number};${modifiers}~` : `\x1b[${number}~`;
}

/** Encodes keys as terminals did before keyboard protocols. */
function classic(key: KeyToken): string {
  const alt = key.alt ? '\x1b' : '';
  if (key.text !== undefined) return alt + key.text;
  if (key.ctrl) {
    if (/^[a-z]$/.test(key.name)) return alt + String.fromCharCode(key.name.charCodeAt(0) - 96);
    const control = CONTROL[key.name];
    if (control !== undefined) return alt + control;
  }
  if (key.name === 'tab' && key.shift) return '\x1b[Z';
  return alt + (NAMED[key.name]?.bytes ?? singleOf(key.name));
}

/**
 * “Disambiguate escape codes”: Esc and every chord have codes of their own; printable keys, and Enter, Tab and
 * Backspace alone, keep theirs. Source: kitty's documentation of its keyboard protocol.
 */
function disambiguated(key: KeyToken): string {
  const modifiers = numberOf(key);
  const named = NAMED[key.name];
  if (key.text !== undefined && !key.ctrl && !key.alt) return key.text;
  if (modifiers === 1 && key.name !== 'escape') return named?.bytes ?? singleOf(key.name);
  const code = named?.code ?? singleOf(key.name).codePointAt(0);
  if (code === undefined) return '';
  return modifiers > 1 ? `\x1b[${code};${modifiers}u` : `\x1b[${code}u`;
}

/** Returns the name where it is a single character, which the key types. */
function singleOf(name: string): string {
  return [...name].length === 1 ? name : '';
}

/**
 * Encodes a pasted block with line ends as Enter, in brackets where the program asked for them. A block holds no
 * controls.
 */
export function encodePaste({ text }: PasteToken, { bracketsPastes }: KeyboardModes): string {
  const typed = text.replaceAll('\n', '\r');
  return bracketsPastes ? `\x1b[200~${typed}\x1b[201~` : typed;
}
