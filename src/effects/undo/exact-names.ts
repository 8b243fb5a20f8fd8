/**
 * Names that are no UTF-8, as text and back without loss: a byte that belongs to no character stands as U+DC80 … U+DCFF, which
 * no valid text holds and JSON keeps. Whoever shows such a text, or sends it anywhere, spells it.
 */
import { isUtf8 } from 'node:buffer';

const BYTES = /[\udc80-\udcff]/gu;
const FIRST = 0xdc00;

/** How many bytes a character has that begins with this one; 0 where none does. */
function lengthAt(byte: number): number {
  return byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
}

export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes[at] as number);
    if (length > 0 && at + length <= bytes.length && (length === 1 || isUtf8(bytes.subarray(at, at + length)))) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', from, at), String.fromCharCode(FIRST + (bytes[at] as number)));
    at += 1;
    from = at;
  }
  parts.push(bytes.toString('utf8', from));
  return parts.join('');
}

export const isOfBytes = (text: string) => text.search(BYTES) >= 0;

/** As the system takes a path: its bytes, where it is no valid text. */
export function pathOf(text: string): string | Buffer {
  return isOfBytes(text) ? bytesOfText(text) : text;
}

export function bytesOfText(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(BYTES)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.of(character.charCodeAt(0) - FIRST));
    from = index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}

/** For a person or a model: each such byte as `⟨xE9⟩`. */
export function spelledBytes(text: string): string {
  return text.replace(BYTES, (character) => `⟨x${(character.charCodeAt(0) - FIRST).toString(16).toUpperCase()}⟩`);
}
