/**
 * The grammar of escape sequences: where one begins, its kind, where it ends. All code that reads a terminal's input or
 * output uses it. Sources: ECMA-48, xterm's ctlseqs, the VT500 parser of vt100.net.
 */

export const ESC = 0x1b;
const BEL = 0x07;
export const LF = 0x0a;
const CAN = 0x18;
const SUB = 0x1a;
const BACKSLASH = 0x5c;
/** ST as one character (C1). */
const STRING_END = 0x9c;

/** The state within a sequence. Numbers, not names, since in a flood they are compared once for each byte. */
export const TEXT = 0;
export const ESCAPE = 1;
const INTERMEDIATE = 2;
const CONTROL = 3;
/** Inside an OSC sequence. */
export const COMMAND = 4;
/** Inside a DCS, SOS, PM or APC sequence. */
export const STRING = 5;
/** After an ESC within an OSC or another string. */
export const STRING_ESCAPE = 6;
/** The sequence ended before this byte, which must be read again. */
export const BROKEN = 7;

/**
 * Returns the state after one more byte (or character). TEXT: the sequence ends with this byte. When another sequence
 * interrupts a string, the state goes from STRING_ESCAPE to that sequence's.
 */
export function nextState(state: number, byte: number): number {
  switch (state) {
    case TEXT:
      return byte === ESC ? ESCAPE : TEXT;
    case ESCAPE:
      return introduced(byte) ?? nextState(INTERMEDIATE, byte);
    case INTERMEDIATE:
      return byte >= 0x20 && byte <= 0x2f ? INTERMEDIATE : finalByte(byte, 0x30);
    case CONTROL:
      return byte >= 0x20 && byte <= 0x3f ? CONTROL : finalByte(byte, 0x40);
    case STRING_ESCAPE:
      return byte === BACKSLASH ? TEXT : nextState(ESCAPE, byte);
    default:
      if (byte === ESC) return STRING_ESCAPE;
      return byte === CAN || byte === SUB || (byte === BEL && state === COMMAND) ? TEXT : state;
  }
}

/** Returns the state after an ESC and this byte. No table: a flood of colours needs this twice a line. */
function introduced(byte: number): number | undefined {
  switch (byte) {
    case 0x5b:
      return CONTROL;
    case 0x5d:
      return COMMAND;
    case 0x50:
    case 0x58:
    case 0x5e:
    case 0x5f:
      return STRING;
    default:
      return undefined;
  }
}

function finalByte(byte: number, first: number): number {
  return byte >= first && byte <= 0x7e ? TEXT : BROKEN;
}

export type Sequence = {
  /** ESC with a final character, CSI, OSC, or another string. */
  readonly kind: 'escape' | 'control' | 'command' | 'string';
  /** False if the sequence was interrupted, or if the text ends inside it. */
  readonly whole: boolean;
  /** The start of the content, which ends before the final character or terminator. */
  readonly from: number;
  readonly to: number;
  /** The position where the text continues. */
  readonly end: number;
};

/**
 * Reads the sequence that begins at `at` with an ESC or a C1 character. An unterminated string ends with its line, so
 * that two bytes can't make a whole text disappear.
 */
export function readSequence(text: string, at: number): Sequence {
  const code = text.charCodeAt(at);
  let state = code === ESC ? ESCAPE : nextState(ESCAPE, code - 0x40);
  let end = at + 1;
  if (state === ESCAPE && end < text.length) {
    const next = nextState(state, text.charCodeAt(end));
    if (next === CONTROL || next === COMMAND || next === STRING) {
      state = next;
      end += 1;
    }
  }
  if (state >= COMMAND) return readString(text, end, state);
  const kind = state === CONTROL ? 'control' : 'escape';
  const from = end;
  while (state !== TEXT) {
    const next = end < text.length ? nextState(state, text.charCodeAt(end)) : BROKEN;
    if (next === BROKEN) return { kind, whole: false, from, to: end, end };
    state = next;
    end += 1;
  }
  return { kind, whole: true, from, to: Math.max(from, end - 1), end };
}

function readString(text: string, from: number, opened: number): Sequence {
  const kind = opened === COMMAND ? 'command' : 'string';
  let lineEnd = -1;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x9f) continue;
    if (code === STRING_END) return { kind, whole: true, from, to: at, end: at + 1 };
    if (code === LF) {
      if (lineEnd < 0) lineEnd = at;
      // A command never spans lines.
      if (opened === COMMAND) break;
    }
    const next = nextState(opened, code);
    if (next === TEXT) return { kind, whole: code === BEL, from, to: at, end: at + 1 };
    if (next === STRING_ESCAPE && text.charCodeAt(at + 1) === BACKSLASH)
      return { kind, whole: true, from, to: at, end: at + 2 };
    if (next === STRING_ESCAPE || code >= 0x80) {
      if (lineEnd < 0) lineEnd = at;
      break;
    }
  }
  const end = lineEnd < 0 ? text.length : lineEnd;
  return { kind, whole: false, from, to: end, end };
}
