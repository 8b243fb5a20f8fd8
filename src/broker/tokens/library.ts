/** Counting with a tokenizer library, for servers that have no tokenizer of their own to ask. */

/** Characters: a byte-pair encoder takes time in the square of a run of one character. */
const PIECE = 500;
/** Characters counted before whatever else waits gets its turn. */
const AT_ONCE = 20_000;

type Count = (piece: string) => number;

let loading: Promise<Count | undefined> | undefined;

/** o200k alone, with the first count: its table is 2 MB. Undefined where it can't be loaded. */
function load(): Promise<Count | undefined> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(
    // Text that looks like a special token is text.
    ({ countTokens }) => {
      const options = { disallowedSpecial: new Set<string>() };
      return (piece: string) => countTokens(piece, options);
    },
    () => undefined,
  );
  return loading;
}

/** Tokens of texts in the o200k encoding; a little more than exact, since they are counted in pieces. */
export async function countByLibrary(texts: readonly string[]): Promise<readonly number[] | undefined> {
  const count = await load();
  if (!count) return undefined;
  const counts: number[] = [];
  let since = 0;
  for (const text of texts) {
    let tokens = 0;
    for (let at = 0; at < text.length; ) {
      const piece = pieceAt(text, at);
      tokens += count(piece);
      at += piece.length;
      since += piece.length;
      if (since < AT_ONCE) continue;
      since = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    counts.push(tokens);
  }
  return counts;
}

/** Up to the last line end within reach, since no token crosses one and goes on. */
function pieceAt(text: string, at: number): string {
  if (text.length - at <= PIECE) return text.slice(at);
  const line = text.lastIndexOf('\n', at + PIECE - 1);
  return text.slice(at, line > at ? line + 1 : at + PIECE);
}
