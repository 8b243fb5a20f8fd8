/** Values known to be secret, found wherever they occur. */
import { type Finding, isOrdinary, mixed, RANK } from './shape.ts';
import { isPlaceholder } from './vault.ts';

/** The length of the prefix by which a value is looked up, and of the shortest known value. */
const KEY_CHARS = 8;
/** How many characters of a value at the end of a text are enough to recognise it. */
const MIN_BEGINNING_CHARS = 12;
/** Values longer than this are also found across line breaks. */
const MIN_BROKEN_CHARS = 16;
/** How many values found in texts are kept; beyond that, somebody is filling the memory. */
const MAX_VALUES = 5000;
const SLOTS = 1 << 16;

type Known = { readonly text: string; readonly kind: string };

/** Whether a value is distinctive enough to be searched for without its name: no word, path, number or host is. */
function isDistinct(value: string): boolean {
  if (value.length < KEY_CHARS || isPlaceholder(value) || isOrdinary(value) || /^\d+$/.test(value)) return false;
  return mixed(value) || (value.length >= 16 && !/^[a-z]+(?:[-_ /.][a-z]+)*$/i.test(value));
}

export class KnownValues {
  readonly #flags = new Uint8Array(SLOTS);
  readonly #byStart = new Map<string, Known[]>();
  readonly #seen = new Set<string>();
  #fromTexts = 0;

  /**
   * Adds a value and its encoded forms. Room for this machine's own secrets is never used up by values found in texts.
   */
  add(value: string, kind: string, from: 'text' | 'machine' = 'text'): void {
    if (this.#seen.has(value) || !isDistinct(value)) return;
    if (from === 'text') {
      if (this.#fromTexts >= MAX_VALUES) return;
      this.#fromTexts += 1;
    }
    this.#seen.add(value);
    for (const form of formsOf(value)) this.#keep({ text: form.text, kind: kind + form.suffix });
  }

  #keep(known: Known): void {
    const start = known.text.slice(0, KEY_CHARS);
    this.#flags[slot(start.charCodeAt(0), start.charCodeAt(1), start.charCodeAt(2))] = 1;
    const list = this.#byStart.get(start);
    if (list) list.push(known);
    else this.#byStart.set(start, [known]);
  }

  /** Every known value in the text, including one broken by line breaks or cut off by the end of the text. */
  find(text: string): Finding[] {
    const found: Finding[] = [];
    if (this.#byStart.size === 0) return found;
    for (let at = 0; at + KEY_CHARS <= text.length; at += 1) {
      if (this.#flags[slot(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))] === 0) continue;
      const finding = this.#at(text, at);
      if (!finding) continue;
      found.push(finding);
      at = finding.end - 1;
    }
    return found;
  }

  #at(text: string, at: number): Finding | undefined {
    let best: Finding | undefined;
    for (const { text: value, kind } of this.#byStart.get(text.slice(at, at + KEY_CHARS)) ?? []) {
      const end = endOf(text, at, value);
      if (end > (best?.end ?? at)) best = { start: at, end, kind, rank: RANK.known };
    }
    return best;
  }
}

function slot(first: number, second: number, third: number): number {
  return ((first << 11) ^ (second << 5) ^ third) & (SLOTS - 1);
}

/** Where the value that begins at `at` ends; -1 if it is a different one. */
function endOf(text: string, at: number, value: string): number {
  if (text.startsWith(value, at)) return at + value.length;
  let here = at;
  for (let index = 0; index < value.length; index += 1) {
    if (here >= text.length) return index >= MIN_BEGINNING_CHARS ? here : -1;
    if (text.charCodeAt(here) !== value.charCodeAt(index)) {
      if (value.length < MIN_BROKEN_CHARS) return -1;
      const next = afterBreak(text, here);
      if (next < 0 || text.charCodeAt(next) !== value.charCodeAt(index)) return -1;
      here = next;
    }
    here += 1;
  }
  return here;
}

/** The offset after a line break and the next line's indentation; -1 if there is no line break. */
function afterBreak(text: string, at: number): number {
  let here = text.charCodeAt(at) === 0x5c ? at + 1 : at;
  if (text.charCodeAt(here) === 0x0d) here += 1;
  if (text.charCodeAt(here) !== 0x0a) return -1;
  here += 1;
  for (let blanks = 0; blanks < 40 && (text.charCodeAt(here) === 0x20 || text.charCodeAt(here) === 0x09); blanks += 1)
    here += 1;
  return here;
}

/** A form in which a known value may occur: itself, or one of its usual encodings. */
type Form = { readonly text: string; readonly suffix: '' | '_B64' | '_URL' | '_ESC' };

/** Shortest encoded piece worth looking for. */
const MIN_FORM_CHARS = 10;

/** The value itself first; each form once. */
function formsOf(value: string): readonly Form[] {
  const forms: Form[] = [{ text: value, suffix: '' }];
  const add = (text: string, suffix: Form['suffix']) => {
    if (text.length >= MIN_FORM_CHARS && !forms.some((form) => form.text === text)) forms.push({ text, suffix });
  };
  for (const text of base64Forms(value)) {
    add(text, '_B64');
    add(text.replaceAll('+', '-').replaceAll('/', '_'), '_B64');
  }
  add(urlEncoded(value), '_URL');
  add(JSON.stringify(value).slice(1, -1), '_ESC');
  add(value.replaceAll("'", "'\\''"), '_ESC');
  add(value.replace(/[\\"$`]/g, '\\$&'), '_ESC');
  add(value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'), '_ESC');
  return forms;
}

/** Base64 of the value alone and, less the characters that it shares with others, of the value inside a longer text. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  const whole = bytes.toString('base64').replace(/=+$/, '');
  const inside = [1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(offset + 1, text.length - ((bytes.length + offset) % 3 === 0 ? 0 : 1));
  });
  const core = bytes.length % 3 === 0 ? whole : whole.slice(0, -1);
  return [whole, core, ...inside].filter((text) => text.length >= MIN_FORM_CHARS);
}

function urlEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}
