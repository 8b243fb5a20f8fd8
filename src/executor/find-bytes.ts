/**
 * Searches output for sequences. Coloured floods are full of ESC, so a search that starts at ESC would stop
 * everywhere.
 */

const [ESC, QUESTION, PARENTHESIS, BRACKET] = [0x1b, 0x3f, 0x28, 0x5d];
/** Bytes that are rare in output: most output has none, which a native search detects at once. */
const RARE = [QUESTION, PARENTHESIS, BRACKET];

/** A prepared sequence for repeated searches. */
export type Wanted = { readonly bytes: Buffer; readonly rare: number | undefined };

export function wanted(text: string): Wanted {
  const bytes = Buffer.from(text);
  return { bytes, rare: RARE.find((byte) => bytes.includes(byte)) };
}

/** Returns its first position at or after `from`; -1 if there is none. */
export function find(data: Buffer, { bytes, rare }: Wanted, from = 0): number {
  return rare !== undefined && data.indexOf(rare, from) < 0 ? -1 : data.indexOf(bytes, from);
}

/** Returns how many bytes at the end of `data` could start a sequence that begins with ESC. */
export function partialMatchLength(data: Buffer, { bytes }: Wanted, from: number): number {
  for (let length = Math.min(bytes.length - 1, data.length - from); length > 0; length -= 1) {
    const at = data.length - length;
    if (data[at] === ESC && bytes.subarray(0, length).equals(data.subarray(at))) return length;
  }
  return 0;
}
