/** vi's keys at the prompt, where the user's shell has them (IN-8). */
import { runCommand } from '../editor/commands.ts';
import { recordTyped, toNormal, VI_INSERT, type ViState, viKey } from '../editor/vi.ts';
import type { KeyToken } from '../terminal/token.ts';
import type { Screen } from './screen.ts';

/** `taken`: nobody else is to see the key; `command`: what it runs instead. */
export type ViAnswer = { readonly taken: boolean; readonly command?: string };

const NOT_TAKEN: ViAnswer = { taken: false };
const TAKEN: ViAnswer = { taken: true };

export function takeViKey(screen: Screen, key: KeyToken): ViAnswer {
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
