/**
 * Tracks what SGR and OSC 8 sequences have switched on, so that a wrapped line can begin where the previous one left
 * off.
 */

import { ESC, readSequence, type Sequence } from './escape-sequences.ts';

/** A style as the SGR parameters that make it, and a hyperlink. Immutable; equal styles have equal strings. */
export type Style = { readonly sgr: string; readonly link: string };

export const PLAIN: Style = { sgr: '', link: '' };

/** One colour or hyperlink of a text: the parameters of an SGR, or the target of a link ('' ends a link). */
export type StyleChange = { readonly end: number } & ({ readonly sgr: string } | { readonly link: string });

/** Returns the colour or hyperlink that begins at `at`, if one does. */
export function styleAt(text: string, at: number): StyleChange | undefined {
  return text.charCodeAt(at) === ESC ? styleOf(text, readSequence(text, at)) : undefined;
}

/** Returns the colour or hyperlink of a sequence, if it is one. */
export function styleOf(text: string, { kind, whole, from, to, end }: Sequence): StyleChange | undefined {
  if (!whole) return undefined;
  if (kind === 'control' && text[to] === 'm') {
    const sgr = text.slice(from, to);
    return /^[\d:;]*$/.test(sgr) ? { end, sgr } : undefined;
  }
  if (kind !== 'command' || !text.startsWith('8;', from)) return undefined;
  const link = text.indexOf(';', from + 2) + 1;
  return link > 0 && link <= to ? { end, link: text.slice(link, to) } : undefined;
}

/** Yields the colours and hyperlinks of a text in order, each with its start. */
export function* eachStyle(text: string): Generator<StyleChange & { readonly at: number }> {
  let at = text.indexOf('\x1b');
  while (at >= 0) {
    const style = styleAt(text, at);
    if (style) yield { ...style, at };
    at = text.indexOf('\x1b', style?.end ?? at + 1);
  }
}

/**
 * Returns a clean text without its colours and hyperlinks, for searching and measuring. `plainText` is for foreign
 * text.
 */
export function stripStyles(text: string): string {
  let plain = '';
  let from = 0;
  let at = text.indexOf('\x1b');
  while (at >= 0) {
    const end = styleAt(text, at)?.end;
    if (end !== undefined) {
      plain += text.slice(from, at);
      from = end;
    }
    at = text.indexOf('\x1b', end ?? at + 1);
  }
  return plain + text.slice(from);
}

const SLOTS = ['bold', 'dim', 'italic', 'underline', 'blink', 'inverse', 'strike', 'fg', 'bg'] as const;
type Slot = (typeof SLOTS)[number];
type Slots = Partial<Record<Slot, string>>;

const ON: Readonly<Record<number, Slot>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  5: 'blink',
  7: 'inverse',
  9: 'strike',
  21: 'underline',
};
const OFF: Readonly<Record<number, readonly Slot[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['inverse'],
  29: ['strike'],
  39: ['fg'],
  49: ['bg'],
};

const parsed = new Map<string, Slots>();
const applied = new Map<string, string>();

/** Returns the SGR string after one more sequence. Conceal (8) is dropped: text must not hide. */
export function applySgr(sgr: string, parameters: string): string {
  const key = `${sgr}|${parameters}`;
  let result = applied.get(key);
  if (result === undefined) {
    const slots = { ...parsed.get(sgr) };
    apply(slots, parameters);
    result = SLOTS.flatMap((slot) => slots[slot] ?? []).join(';');
    if (parsed.size > 5000 || applied.size > 5000) {
      parsed.clear();
      applied.clear();
      if (result !== '') parsed.set(result, slots);
      return result;
    }
    parsed.set(result, slots);
    applied.set(key, result);
  }
  return result;
}

function apply(slots: Slots, parameters: string): void {
  const codes = (parameters === '' ? '0' : parameters).split(';');
  for (let at = 0; at < codes.length; at++) {
    const [head = '', ...rest] = (codes[at] ?? '').split(':');
    const code = Number(head || '0');
    if (code === 0) for (const slot of SLOTS) delete slots[slot];
    else if (code === 38 || code === 48 || code === 58) at += takeColour(slots, code, rest, codes, at);
    else if (code === 4 && rest[0] === '0') delete slots.underline;
    else setPlain(slots, code);
  }
}

/** Takes a colour of several numbers and returns how many it took. The colour of an underline is dropped. */
function takeColour(
  slots: Slots,
  code: 38 | 48 | 58,
  rest: readonly string[],
  codes: readonly string[],
  at: number,
): number {
  const { colour, used } =
    rest.length > 0 ? { colour: colonColour(code, rest), used: 0 } : longColour(code, codes, at + 1);
  if (colour !== undefined && code !== 58) slots[code === 38 ? 'fg' : 'bg'] = colour;
  return used;
}

/** Takes a style or a colour of one number. */
function setPlain(slots: Slots, code: number): void {
  const on = ON[code];
  if (on !== undefined) slots[on] = String(code === 21 ? 4 : code);
  for (const slot of OFF[code] ?? []) delete slots[slot];
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) slots.fg = String(code);
  else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) slots.bg = String(code);
}

/** Takes `38;5;n` and `38;2;r;g;b`. */
function longColour(code: number, codes: readonly string[], at: number): { colour: string | undefined; used: number } {
  const used = codes[at] === '5' ? 2 : codes[at] === '2' ? 4 : 1;
  const parts = codes.slice(at, at + used);
  const whole = parts.length === used && used > 1 && parts.slice(1).every((part) => /^\d{0,3}$/.test(part));
  return { colour: whole ? [code, ...parts.map((part) => part || '0')].join(';') : undefined, used };
}

/** Takes `38:5:n`, `38:2:r:g:b` and `38:2::r:g:b`, and returns them with semicolons. */
function colonColour(code: number, rest: readonly string[]): string | undefined {
  const parts = rest[0] === '2' && rest.length > 4 ? ['2', ...rest.slice(2, 5)] : rest;
  return longColour(code, parts, 0).colour;
}

/** Returns the sequences that switch a style on. */
export function openStyle({ sgr, link }: Style): string {
  return (link === '' ? '' : `\x1b]8;;${link}\x1b\\`) + (sgr === '' ? '' : `\x1b[${sgr}m`);
}

/** Returns the sequences that switch a style off. */
export function closeStyle({ sgr, link }: Style): string {
  return (sgr === '' ? '' : '\x1b[0m') + (link === '' ? '' : '\x1b]8;;\x1b\\');
}
