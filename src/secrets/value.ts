/** Reads the value after a name: where it begins and ends, whatever syntax surrounds it. */

export type Quote = 'none' | 'quoted';
export type Value = { readonly start: number; readonly end: number; readonly quote: Quote };

const MAX_VALUE_CHARS = 4096;
const OPEN = /(?:[brfuBRFU@$LS]{1,2}(?=["']))?(\\{0,4}["'`]|&quot;|%22|&#34;|&#x27;)/y;

/** Reads a quoted value that opens at `at`; undefined where none does, or none closes on the same line. */
export function quotedAt(text: string, at: number): Value | undefined {
  OPEN.lastIndex = at;
  const quote = OPEN.exec(text)?.[1];
  if (quote === undefined) return undefined;
  const start = OPEN.lastIndex;
  const last = quote.charAt(quote.length - 1);
  const escaped = quote.length > 1;
  for (let index = start; index < text.length && index - start <= MAX_VALUE_CHARS; index += 1) {
    const character = text.charAt(index);
    if (character === '\n') return undefined;
    if (escaped) {
      if (text.startsWith(quote, index)) return { start, end: index, quote: 'quoted' };
    } else if (character === '\\' && last !== "'") index += 1;
    else if (character === last) return { start, end: index, quote: 'quoted' };
  }
  return undefined;
}

export type Around = {
  /** A URL parameter: `&` ends it. */
  readonly parameter: boolean;
  /** Name and value fill a line, as in a `.env` file: only the end of the line ends the value. */
  readonly wholeLine: boolean;
  /** In a sentence: punctuation inside the value belongs to it, at its end it does not. */
  readonly spoken: boolean;
};

/** Reads an unquoted value that begins at `at`. */
export function bareAt(text: string, at: number, around: Around): Value | undefined {
  let end = at;
  while (end < text.length && end - at < MAX_VALUE_CHARS && (isPlain(text.charCodeAt(end)) || !ends(text, end, around)))
    end += 1;
  if (end - at >= MAX_VALUE_CHARS) return undefined;
  if (!around.wholeLine) end = trimmed(text, at, end);
  return end > at ? { start: at, end, quote: 'none' } : undefined;
}

/** Letters, digits and punctuation that never end a value: the fast path. */
function isPlain(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x2d && code <= 0x39) || (code >= 0x40 && code <= 0x5a) || code === 0x5f
  );
}

function ends(text: string, at: number, around: Around): boolean {
  return ENDS.get(text.charAt(at))?.(text, at, around) ?? false;
}

type Ends = (text: string, at: number, around: Around) => boolean;

const always: Ends = () => true;
const withinLine: Ends = (_, __, { wholeLine }) => !wholeLine;
const inSentence: Ends = (text, at, { wholeLine, spoken }) =>
  !wholeLine && !(spoken && /[^\s"'`]/.test(text.charAt(at + 1)));

/** Characters that may end a value. */
const ENDS: ReadonlyMap<string, Ends> = new Map<string, Ends>([
  ...[' ', '\t', '\n', '\r', '\x1b'].map((blank) => [blank, always] as const),
  ...['"', "'", '`', '<', '>', '|'].map((sign) => [sign, withinLine] as const),
  ...[';', ','].map((sign) => [sign, inSentence] as const),
  // The escape that ends a line within a string, or a quote in one.
  ['\\', (text, at, { wholeLine }) => /[nrt"']/.test(text.charAt(at + 1)) && !wholeLine],
  [
    '&',
    (text, at, { parameter, wholeLine }) =>
      parameter ||
      (!wholeLine && /^[A-Za-z_]\w{0,30}=/.test(text.slice(at + 1, at + 33))) ||
      /^&(?:&|quot;|amp;|lt;)/.test(text.slice(at, at + 6)),
  ],
  ['#', (_, __, { parameter }) => parameter],
]);

const OPENERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Strips closing brackets and full stops that belong to what surrounds the value. */
function trimmed(text: string, start: number, end: number): number {
  let last = end;
  while (last > start) {
    const character = text.charAt(last - 1);
    const opener = OPENERS[character];
    const value = text.slice(start, last);
    if (opener !== undefined && !value.includes(opener)) last -= 1;
    else if (/[.:]$/.test(value) && (last === text.length || /\s/.test(text.charAt(last)))) last -= 1;
    else break;
  }
  return last;
}
