/** What SGR and OSC 8 sequences have switched on, so that a wrapped line can begin where the one before left off. */

/** A style as the SGR parameters that make it, and a hyperlink. Immutable; equal styles have equal strings. */
export type Style = { readonly sgr: string; readonly link: string };

export const PLAIN: Style = { sgr: '', link: '' };

/** SGR and hyperlinks; the only sequences that text on the screen may hold. */
export const SEQUENCE = /\x1b\[([\d:;]*)m|\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)/y;

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

/** The SGR string after the parameters of one more sequence. Conceal (8) is dropped: text must not hide. */
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
    else if (code === 38 || code === 48) {
      const { colour, used } =
        rest.length > 0 ? { colour: colonColour(code, rest), used: 0 } : longColour(code, codes, at + 1);
      if (colour !== undefined) slots[code === 38 ? 'fg' : 'bg'] = colour;
      at += used;
    } else if (code === 4 && rest[0] === '0') delete slots.underline;
    else if (ON[code] !== undefined) slots[ON[code]] = String(code === 21 ? 4 : code);
    else if (OFF[code] !== undefined) for (const slot of OFF[code]) delete slots[slot];
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) slots.fg = String(code);
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) slots.bg = String(code);
    else if (code === 58 && rest.length === 0) at += longColour(code, codes, at + 1).used;
  }
}

/** `38;5;n` and `38;2;r;g;b`. */
function longColour(code: number, codes: readonly string[], at: number): { colour: string | undefined; used: number } {
  const used = codes[at] === '5' ? 2 : codes[at] === '2' ? 4 : 1;
  const parts = codes.slice(at, at + used);
  const whole = parts.length === used && used > 1 && parts.slice(1).every((part) => /^\d{0,3}$/.test(part));
  return { colour: whole ? [code, ...parts.map((part) => part || '0')].join(';') : undefined, used };
}

/** `38:5:n`, `38:2:r:g:b` and `38:2::r:g:b`, written with semicolons. */
function colonColour(code: number, rest: readonly string[]): string | undefined {
  const parts = rest[0] === '2' && rest.length > 4 ? ['2', ...rest.slice(2, 5)] : rest;
  return longColour(code, parts, 0).colour;
}

/** What switches a style on, from nothing. */
export function openStyle({ sgr, link }: Style): string {
  return (link === '' ? '' : `\x1b]8;;${link}\x1b\\`) + (sgr === '' ? '' : `\x1b[${sgr}m`);
}

/** What switches a style off again. */
export function closeStyle({ sgr, link }: Style): string {
  return (sgr === '' ? '' : '\x1b[0m') + (link === '' ? '' : '\x1b]8;;\x1b\\');
}
