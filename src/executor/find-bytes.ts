/** Searches in output. A flood of colours is full of ESC, where the search for a sequence stops at each of them. */

const [ESC, QUESTION, PARENTHESIS, BRACKET] = [0x1b, 0x3f, 0x28, 0x5d];
/** Rare in any output: most has none of them, which one look at the bytes says. */
const RARE = [QUESTION, PARENTHESIS, BRACKET];

/** A sequence to be searched for again and again. */
export type Wanted = { readonly bytes: Buffer; readonly rare: number | undefined };

export function wanted(text: string): Wanted {
  const bytes = Buffer.from(text);
  return { bytes, rare: RARE.find((byte) => bytes.includes(byte)) };
}

/** Where it first stands at or behind `from`; -1: nowhere. */
export function find(data: Buffer, { bytes, rare }: Wanted, from = 0): number {
  return rare !== undefined && data.indexOf(rare, from) < 0 ? -1 : data.indexOf(bytes, from);
}

/** How many bytes at the end of `data`, from `from` on, could be the first ones of a sequence that begins with ESC. */
export function begunAtEnd(data: Buffer, { bytes }: Wanted, from: number): number {
  for (let length = Math.min(bytes.length - 1, data.length - from); length > 0; length -= 1) {
    const at = data.length - length;
    if (data[at] === ESC && bytes.subarray(0, length).equals(data.subarray(at))) return length;
  }
  return 0;
}
