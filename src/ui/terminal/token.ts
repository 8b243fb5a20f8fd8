/**
 * The tokens that a terminal's bytes become: the vocabulary between the tokenizer and everything that reacts to input.
 */

export type Modifiers = {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
};

/**
 * One key. `name` is the lower-case grapheme for keys that type something (`a`, `?`, `é`), else a word:
 * `enter tab backspace escape space up down left right home end pageup pagedown insert delete f1`…`f35 menu`.
 * `text` is present only when the key types something (no Ctrl, no Alt), and is the grapheme as typed.
 */
export type KeyToken = Modifiers & {
  readonly type: 'key';
  readonly name: string;
  readonly event: 'press' | 'repeat' | 'release';
  readonly text?: string;
  /** An Enter in the middle of an unbracketed paste: a newline, never a submission. Set by the burst guard. */
  readonly burst?: true;
};

export type MouseButton = 'left' | 'middle' | 'right' | 'none' | 'other';

/** A mouse report. `x` and `y` are cells counted from 0. */
export type MouseToken = Modifiers & {
  readonly type: 'mouse';
  readonly action: 'press' | 'release' | 'drag' | 'move' | 'wheel';
  readonly button: MouseButton;
  /** The direction of a wheel; absent for buttons. */
  readonly direction?: 'up' | 'down' | 'left' | 'right';
  readonly x: number;
  readonly y: number;
};

/** A pasted block: `\n` line ends, no control characters but tab. `truncated` when it was over the limit. */
export type PasteToken = { readonly type: 'paste'; readonly text: string; readonly truncated: boolean };

type FocusToken = { readonly type: 'focus'; readonly focused: boolean };

/** The terminal's reply to a query. Never typed text. */
export type ReplyToken = { readonly type: 'reply' } & (
  | { readonly reply: 'da1'; readonly params: readonly number[] }
  | { readonly reply: 'da2'; readonly params: readonly number[] }
  /** DECRPM: 0 unknown mode, 1 set, 2 reset, 3 permanently set, 4 permanently reset. */
  | { readonly reply: 'mode'; readonly mode: number; readonly status: number }
  /** Row and column counted from 1, as the terminal does. */
  | { readonly reply: 'cursor'; readonly row: number; readonly column: number }
  | { readonly reply: 'kitty'; readonly flags: number }
  | { readonly reply: 'osc'; readonly code: number; readonly data: string }
  | { readonly reply: 'version'; readonly text: string }
  /** Anything else in the form of a reply; logged, otherwise ignored. */
  | { readonly reply: 'unknown'; readonly sequence: string }
);

export type Token = KeyToken | MouseToken | PasteToken | FocusToken | ReplyToken;
