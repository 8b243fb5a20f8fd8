import type { Field } from './machine.ts';
import { NUMBER, UNKNOWN } from './taint.ts';

/** What `echo` with these words prints. */
export function echoOutput(words: readonly string[]): string {
  let at = 0;
  let newline = true;
  let escapes = false;
  while (/^-[neE]+$/.test(words[at] ?? '')) {
    const word = words[at++] ?? '';
    if (word.includes('n')) newline = false;
    if (word.includes('e')) escapes = true;
  }
  const text = words.slice(at).join(' ');
  return (escapes ? readEscapes(text) : text) + (newline ? '\n' : '');
}

/** What `printf FORMAT …` prints; formats beyond `%s %b %d %c %%` with a width leave an unknown part. */
export function printfOutput(words: readonly string[]): string {
  const format = readEscapes(words[0] ?? '');
  const args = words.slice(1);
  let out = '';
  let used = 0;
  do {
    const before = used;
    out += format.replace(/%(-?\d*(?:\.\d+)?)([a-zA-Z%])/g, (_, width: string, kind: string) => {
      if (kind === '%') return '%';
      const value = args[used++] ?? '';
      if (kind === 'b') return readEscapes(value);
      if (kind === 'c') return value.slice(0, 1);
      if (kind === 'q' || kind === 's') return /^\.\d+$/.test(width) ? value.slice(0, Number(width.slice(1))) : value;
      if (kind === 'd' || kind === 'i') return /^-?\d+$/.test(value) ? value : UNKNOWN;
      if (kind === 'x' && /^\d+$/.test(value)) return Number(value).toString(16);
      if (kind === 'o' && /^\d+$/.test(value)) return Number(value).toString(8);
      return UNKNOWN;
    });
    if (used === before) break;
  } while (used < args.length && out.length < 100_000);
  return out;
}

/** Backslash escapes as `echo -e`, `printf` and `%b` read them. */
export function readEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  const simple: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    r: '\r',
    a: '\x07',
    b: '\b',
    f: '\f',
    v: '\v',
    e: '\x1b',
    '\\': '\\',
    '"': '"',
    "'": "'",
  };
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|([\s\S]))/g,
    (whole: string, ...groups: (string | undefined)[]) => {
      const [hex, u4, u8, octal, other] = groups;
      const code = hex ?? u4 ?? u8;
      if (code !== undefined) return fromCode(Number.parseInt(code, 16));
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8) & 255);
      return other === undefined ? whole : (simple[other] ?? whole);
    },
  );
}

function fromCode(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** What a filter makes of its input; undefined: it is none with these words. */
export type Filter = (words: readonly string[], stdin: string) => string | undefined;

export type Output = {
  /** With such words it prints one whole number, or one a line. */
  readonly counts?: RegExp;
  readonly filter?: Filter;
  /**
   * Where what it prints comes from: the text of the `files` it is given, `unpacked` from them, `decoded` from its input
   * or them, `fetched` over the network.
   */
  readonly gives?: 'files' | 'unpacked' | 'decoded' | 'fetched';
};

/** What a call prints whose output follows from its words and its input; undefined for any other. */
export function plainOutput({ counts, filter }: Output, args: readonly Field[], stdin: string): string | undefined {
  if (!counts && !filter) return undefined;
  const words = args.map((field) => field.text);
  return counts?.test(words.join(' ')) ? `${NUMBER}\n` : filter?.(words, stdin);
}
