/** The terminal's clipboard, by OSC 52: it works over ssh as well, where the terminal allows it (UI-2). */

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
