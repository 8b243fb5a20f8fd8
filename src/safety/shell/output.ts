import type { Field } from './machine.ts';
import { DECODED, hasUnknown, NUMBER, UNKNOWN } from './taint.ts';

/** Returns the output of `echo` with these words. */
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

/** Returns the output of `printf FORMAT …`; formats other than `%s %b %d %c %%` with a width leave an unknown part. */
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

/** Resolves backslash escapes as `echo -e`, `printf` and `%b` do. */
function readEscapes(text: string): string {
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

/** Returns a filter’s output for its input; undefined: with these words its output is not predictable. */
type Filter = (words: readonly string[], stdin: string) => string | undefined;

export type Output = {
  /** With words that match, it prints one whole number, or one on each line. */
  readonly counts?: RegExp;
  readonly filter?: Filter;
  /**
   * The origin of its output: the text of its `files`, `unpacked` from them, `decoded` from its input or files, or
   * `fetched` over the network.
   */
  readonly gives?: 'files' | 'unpacked' | 'decoded' | 'fetched';
};

/** Returns the output of a call that follows from its words and its input; undefined for any other call. */
export function plainOutput({ counts, filter }: Output, args: readonly Field[], stdin: string): string | undefined {
  if (!counts && !filter) return undefined;
  const words = args.map((field) => field.text);
  return counts?.test(words.join(' ')) ? `${NUMBER}\n` : filter?.(words, stdin);
}

// Filters whose output follows from their words and input; the records name them.

/** Decodes known input; unknown input gives a placeholder for decoded text. */
const decoded = (stdin: string, make: (text: string) => string | undefined) =>
  hasUnknown(stdin) ? DECODED : (make(stdin) ?? DECODED);
const decodes = (words: readonly string[]) => words.some((word) => /^(-d|-D|--decode|-di|-id)$/.test(word));

/** Keeps the placeholders of unknown parts in the output. */
export const passesMarks: Filter = (_, stdin) => (hasUnknown(stdin) ? stdin : UNKNOWN);

export const fromBase64: Filter = (words, stdin) => {
  if (!decodes(words)) return hasUnknown(stdin) ? UNKNOWN : DECODED;
  return decoded(stdin, (text) => Buffer.from(text, 'base64').toString('utf8'));
};

export const decodesBase32: Filter = (words, stdin) => (!decodes(words) && hasUnknown(stdin) ? UNKNOWN : DECODED);

export const fromHexDump: Filter = (words, stdin) =>
  words.some((word) => /^-\w*r/.test(word)) ? decoded(stdin, fromHex) : UNKNOWN;

export const reversed: Filter = (_, stdin) =>
  decoded(stdin, (text) => text.replace(/[^\n]+/g, (line) => [...line].reverse().join('')));

export const linesReversed: Filter = (_, stdin) =>
  decoded(stdin, (text) => `${text.replace(/\n$/, '').split('\n').reverse().join('\n')}\n`);

/** The filter `sed 's/a/b/g'`. */
export const substituted: Filter = (words, stdin) => {
  const operands = words.filter((word) => !word.startsWith('-') || word === '-');
  return operands.length === 1 || words[0] === '-e' ? substitute(operands[0] ?? '', stdin) : UNKNOWN;
};

/** The filter `grep -n x file`, which prints a line number first. */
export const lineNumber: Filter = (words) =>
  /^-[EFiwx]*n[EFiwx]* [^-\s]\S*( \S+)?$/.test(words.join(' ')) ? `${NUMBER}:${UNKNOWN}\n` : undefined;

/** The filter `cut -d: -f1` on text after such a number. */
export const cutNumber: Filter = (words, stdin) =>
  /^-d ?: -f ?1$/.test(words.join(' ')) && stdin.startsWith(`${NUMBER}:`) ? `${NUMBER}\n` : passesMarks(words, stdin);

/** The filter `seq 3`, which prints one number on each line. */
export const countUp: Filter = (words) => {
  if (!/^-?[\d\uE00B]+( -?[\d\uE00B]+){0,2}$/.test(words.join(' '))) return undefined;
  const [first = 1, last] = words.map(Number);
  const from = last === undefined ? 1 : first;
  const to = last ?? first;
  if (words.length > 2 || !(to - from < 12)) return `${NUMBER}\n`;
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `${from + index}\n`).join('');
};

function fromHex(text: string): string | undefined {
  const hex = text.replace(/\s+/g, '');
  return /^([0-9a-fA-F]{2})+$/.test(hex) ? Buffer.from(hex, 'hex').toString('utf8') : undefined;
}

/** The output of `tr`, computed from its words and its input. */
export const translate: Filter = (words, stdin) => {
  if (hasUnknown(stdin)) return words[0] === '-d' && /^[\uE00B\s]+$/.test(stdin) ? stdin : DECODED;
  const flags = words.filter((word) => /^-[a-zA-Z]+$/.test(word)).join('');
  const sets = words.filter((word) => !/^-[a-zA-Z]+$/.test(word)).map(charSet);
  const [from, to] = sets;
  if (!from) return UNKNOWN;
  if (flags.includes('d')) return [...stdin].filter((c) => !from.includes(c)).join('');
  if (!to || flags.includes('c')) return flags.includes('s') ? stdin : UNKNOWN;
  return [...stdin]
    .map((c) => {
      const at = from.indexOf(c);
      return at < 0 ? c : (to[Math.min(at, to.length - 1)] ?? '');
    })
    .join('');
};

function charSet(text: string): readonly string[] {
  const named = readEscapes(text)
    .replaceAll('[:lower:]', 'a-z')
    .replaceAll('[:upper:]', 'A-Z')
    .replaceAll('[:digit:]', '0-9')
    .replaceAll('[:space:]', ' \t\n\r')
    .replaceAll('[:alpha:]', 'A-Za-z');
  const out: string[] = [];
  for (let i = 0; i < named.length && out.length < 1000; i++) {
    const start = named.charCodeAt(i);
    if (named[i + 1] === '-' && i + 2 < named.length) {
      const end = Math.min(named.charCodeAt(i + 2), start + 500);
      for (let code = start; code <= end; code++) out.push(String.fromCharCode(code));
      i += 2;
    } else out.push(named.charAt(i));
  }
  return out;
}

/** `sed 's/a/b/g'` on known text; only where the pattern is literal. */
function substitute(script: string, stdin: string): string {
  if (stdin === '' || stdin === UNKNOWN) return UNKNOWN;
  let text = stdin;
  for (const command of script.split(';')) {
    const found = /^\s*s(.)([\s\S]*?)\1([\s\S]*?)\1([g]?)\s*$/.exec(command);
    if (!found || /[.*[\]^$\\&]/.test((found[2] ?? '') + (found[3] ?? ''))) return hasUnknown(stdin) ? stdin : UNKNOWN;
    text =
      found[4] === 'g' ? text.replaceAll(found[2] ?? '', found[3] ?? '') : text.replace(found[2] ?? '', found[3] ?? '');
  }
  return text;
}
