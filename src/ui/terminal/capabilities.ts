/** The terminal's capabilities, learned from its replies. */
import type { ReplyToken } from './token.ts';

export type Capabilities = {
  /** False where nothing answers (a bare pty): each wait for an answer then times out. */
  answers: boolean;
  /** XTVERSION, such as `tmux 3.4`. */
  version?: string;
  /** Whether the terminal has synchronized output (DEC mode 2026). */
  synchronizedOutput: boolean;
  /** Known to bracket pastes, so the guard against bursts is not needed. */
  bracketedPaste: boolean;
  /** Speaks the kitty keyboard protocol. */
  kitty: boolean;
  background?: 'dark' | 'light';
  /**
   * Colours as the terminal reports them, `rgb:rrrr/gggg/bbbb`: of text (`10`), of the background (`11`), and the first
   * 16 (`4;0` …).
   */
  readonly colours: Record<string, string>;
};

/** Returns what is assumed of a terminal that has not answered yet. */
export function unknownTerminal(): Capabilities {
  return { answers: false, synchronizedOutput: false, bracketedPaste: false, kitty: false, colours: {} };
}

const COLOUR = /^(10|11|4;(?:\d|1[0-5]));(rgba?:[0-9a-f]{1,4}\/[0-9a-f]{1,4}\/[0-9a-f]{1,4}(?:\/[0-9a-f]{1,4})?)$/i;

/** Updates the capabilities from one reply. The text of a reply may be hostile: only printable characters are kept. */
export function applyReply(capabilities: Capabilities, token: ReplyToken): void {
  switch (token.reply) {
    case 'da1':
      capabilities.answers = true;
      break;
    case 'mode':
      if (token.mode === 2026) capabilities.synchronizedOutput = token.status === 1 || token.status === 2;
      if (token.mode === 2004 && token.status > 0) capabilities.bracketedPaste = true;
      break;
    case 'kitty':
      capabilities.kitty = true;
      capabilities.bracketedPaste = true;
      break;
    case 'version':
      capabilities.version = token.text.replace(/[^\x20-\x7e]/g, '').slice(0, 80);
      capabilities.bracketedPaste = true;
      break;
    case 'osc': {
      const [, place = '', colour = ''] = COLOUR.exec(`${token.code};${token.data}`) ?? [];
      if (place === '') break;
      capabilities.colours[place] = colour;
      if (place === '11') capabilities.background = brightness(colour);
      break;
    }
    case 'cursor':
    case 'da2':
    case 'unknown':
      break;
  }
}

/** Whether `rgb:rrrr/gggg/bbbb` is a light colour, by its luma (ITU-R BT.601 weights). */
function brightness(colour: string): 'dark' | 'light' {
  const [red = 0, green = 0, blue = 0] = colour
    .replace(/^.*:/, '')
    .split('/')
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? 'light' : 'dark';
}
