/** The modes that the screen switches on in a terminal, and the one string that takes all of them back. */

export type ModeChoice = {
  readonly alternateScreen: boolean;
  readonly mouse: boolean;
  /** How keys are told apart: the kitty protocol was pushed, xterm's modifyOtherKeys is on, or neither. */
  readonly keyboard: 'plain' | 'kitty' | 'modifyOtherKeys';
};

/** Button presses, drags and the wheel (1002) as SGR reports (1006). Not 1003: under multiplexers it floods. */
export const MOUSE_ON = '\x1b[?1002h\x1b[?1006h';
export const MOUSE_OFF = '\x1b[?1006l\x1b[?1002l';

/** Kitty keyboard: disambiguate (1) and report alternate keys (4), pushed on the terminal's own stack. */
export const KITTY_PUSH = '\x1b[>5u';
const KITTY_POP = '\x1b[<u';

/** Level 1: keys without a classic code (Shift-Enter) become tellable, the classic ones stay as they are. */
export const OTHER_KEYS_ON = '\x1b[>4;1m';
const OTHER_KEYS_OFF = '\x1b[>4m';

/** Primary device attributes: every terminal answers it, and in order, so its answer ends every group of queries. */
export const QUERY_DA1 = '\x1b[c';

const PALETTE = Array.from({ length: 16 }, (_, number) => `${number};?`).join(';');

/** Name and version, synchronized output, bracketed paste, colours, kitty keyboard. DA1 follows as sentinel. */
export const QUERIES = `\x1b[>q\x1b[?2026$p\x1b[?2004$p\x1b]11;?\x1b\\\x1b]10;?\x1b\\\x1b]4;${PALETTE}\x1b\\\x1b[?u`;

/** What makes the terminal ours: alternate screen, bracketed paste, focus reports, mouse. */
export function enterModes({ alternateScreen, mouse }: ModeChoice): string {
  return `${alternateScreen ? '\x1b[?1049h\x1b[2J\x1b[H' : ''}\x1b[?2004h\x1b[?1004h${mouse ? MOUSE_ON : ''}`;
}

/** Takes everything back, last first. The keyboard goes before the screen: kitty keeps a stack for each screen. */
export function leaveModes({ alternateScreen, keyboard }: ModeChoice): string {
  const keys = keyboard === 'kitty' ? KITTY_POP : keyboard === 'modifyOtherKeys' ? OTHER_KEYS_OFF : '';
  return `\x1b[?2026l${keys}${MOUSE_OFF}\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?25h${alternateScreen ? '\x1b[?1049l' : ''}`;
}

/**
 * Undoes what another program may have left behind: mouse modes, cursor and keypad keys, scroll region, origin, wrap,
 * cursor shape, insert mode, character set.
 */
export const SANITIZE =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1l\x1b>\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b(B\x0f\x1b[0 q\x1b[0m';

/** Bytes of text put into one sequence: xterm and others drop a sequence of more than 100,000 characters. */
const MAX_BYTES = 74_000;

export type Clip = {
  readonly sequence: string;
  /** How much of the text it holds. */
  readonly characters: number;
  readonly cut: boolean;
};

/** The sequence that sets the clipboard to a text, or to as much of its beginning as terminals take. */
export function clipboardSequence(text: string): Clip {
  const bytes = Buffer.from(text.toWellFormed());
  const cut = bytes.length > MAX_BYTES;
  const kept = cut ? wholeCharacters(bytes) : bytes;
  const characters = [...kept.toString()].length;
  return { sequence: `\x1b]52;c;${kept.toString('base64')}\x07`, characters, cut };
}

/** Cuts where a character begins: in UTF-8, bytes of the form 10xxxxxx continue one. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = MAX_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
