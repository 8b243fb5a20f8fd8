/** The tokenizer's own thread: its table is 2 MB and takes some hundred milliseconds to load, in which no key would be read. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

export type CountRequest = { readonly id: number; readonly texts: readonly string[] };
export type CountAnswer = { readonly id: number; readonly counts: readonly number[] };

/** Characters: a byte-pair encoder takes time in the square of a run of one character. */
const PIECE_CHARS = 500;
/** Text that looks like a special token is text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** A little more than exact, since it is counted in pieces. */
function count(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const piece = pieceAt(text, at);
    tokens += countTokens(piece, PLAIN);
    at += piece.length;
  }
  return tokens;
}

/** Up to the last line end within reach, since no token crosses one and goes on. */
function pieceAt(text: string, at: number): string {
  if (text.length - at <= PIECE_CHARS) return text.slice(at);
  const line = text.lastIndexOf('\n', at + PIECE_CHARS - 1);
  return text.slice(at, line > at ? line + 1 : at + PIECE_CHARS);
}

parentPort?.on('message', ({ id, texts }: CountRequest) => {
  const answer: CountAnswer = { id, counts: texts.map(count) };
  parentPort?.postMessage(answer);
});
