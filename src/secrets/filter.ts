/**
 * The only filter for everything that is stored or sent (SE-1, SE-2, SE-3). It is applied in
 * src/engine/secrets-on-entry.ts to what enters the session, and in src/app/secrets-filter.ts to what is sent with a
 * request.
 */
import type { SecretRow, SeenIn } from '../contracts/secrets.ts';
import { parseBoundedJson } from '../text/json.ts';
import { eachStyle } from '../text/style.ts';
import { detect, detectInTurns } from './detect.ts';
import { type Finding, isOrdinary, mixed, RANK, settle } from './shape.ts';
import { type Source, secretsOf } from './sources.ts';
import { handlesIn, isPlaceholder, replaceHandles, Vault } from './vault.ts';

type From = { readonly where: string; readonly seenIn: SeenIn };

/** The field of an event that contains JSON text, in which values are escaped. */
const JSON_FIELD = 'arguments';

/** How often a text is searched: the second pass finds what the first one learned. */
const MAX_PASSES = 3;

/** How many texts of a reply are searched in advance: reasoning, words and long arguments of calls. */
const MAX_LOOKED = 10;

/** Shorter values occur in many texts by chance. */
const MIN_ECHOED_CHARS = 6;

export class SecretsFilter {
  readonly #vault = new Vault();
  readonly #known = new KnownValues();
  readonly #sources: (() => Iterable<Source>)[] = [];
  /** Texts that were searched in advance, with the rules' findings, until the real search. */
  #looked: readonly { readonly text: string; readonly found: readonly Finding[] }[] = [];

  /** Adds a source of known values, which is read once, before the next text is filtered. */
  learn(source: () => Iterable<Source>): void {
    this.#sources.push(source);
  }

  /** Returns the secrets of a text in order, without overlap; offsets are UTF-16. */
  find(text: string): readonly Finding[] {
    this.#readSources();
    const plain = this.#findPlain(text);
    if (!text.includes('\x1b')) return plain;
    const bare = unstyled(text);
    const beneath = this.#findPlain(bare.text).map((finding) => ({
      ...finding,
      start: bare.place(finding.start),
      end: bare.place(finding.end - 1) + 1,
    }));
    return settle([...plain, ...beneath], text);
  }

  #findPlain(text: string): readonly Finding[] {
    const known = this.#known.find(text);
    const looked = this.#looked.find((each) => each.text === text);
    if (looked) this.#looked = this.#looked.filter((each) => each !== looked);
    const ruled = looked?.found ?? detect(text);
    return known.length === 0 ? ruled : settle([...known, ...ruled], text);
  }

  /**
   * Searches a long text in pieces, one per turn of the event loop, so that the next search of it by the rules is
   * free.
   */
  async lookThrough(text: string): Promise<void> {
    if (text === '') return;
    const found = await detectInTurns(text);
    this.#looked = [...this.#looked, { text, found }].slice(-MAX_LOOKED);
  }

  /**
   * Returns the value with handles instead of secrets: a text, or all texts inside; the same object if nothing was
   * found. `where` describes its origin for `:secrets`; `seenIn` says whether it is an action's text.
   */
  hide<T>(value: T, where = '', seenIn: SeenIn = 'data'): T {
    const from = { where, seenIn };
    return mapTexts(value, (text, json) => (json ? this.#hideJson(text, from) : this.#hideText(text, from)));
  }

  #hideText(text: string, from: From, json = false): string {
    if (text.length < 4) return text;
    let hidden = text;
    // A value recognised by its name may occur in the same text again without the name.
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const findings = this.find(hidden);
      if (findings.length === 0) break;
      hidden = replaced(hidden, findings, (piece, kind) => this.#handle(json ? unescaped(piece) : piece, kind, from));
    }
    return hidden;
  }

  /** A value broken across lines gets the handle of the whole value. */
  #handle(piece: string, kind: string, { where, seenIn }: From): string {
    const value = secretIn(piece, kind);
    this.#known.add(value, kind);
    return this.#vault.handle(value, kind, where, seenIn);
  }

  /** Keeps JSON valid: if a replacement would break it, each string inside is searched separately. */
  #hideJson(text: string, from: From): string {
    const { where, seenIn } = from;
    const whole = this.#hideText(text, from, true);
    const parsed = parse(whole);
    if (parsed === undefined) {
      const before = parse(text);
      return before === undefined ? whole : JSON.stringify(this.hide(before.value, where, seenIn));
    }
    const deep = this.hide(parsed.value, where, seenIn);
    return deep === parsed.value ? whole : JSON.stringify(deep);
  }

  /** Restores the real values known to this process; handles of another process stay. */
  reveal<T>(value: T): T {
    // Fast path: each request reveals the whole conversation.
    if (this.#vault.isEmpty) return value;
    return mapTexts(value, (text, json) => replaceHandles(text, (handle) => this.#revealed(handle, json)));
  }

  #revealed(handle: string, json: boolean): string | undefined {
    const value = this.#vault.value(handle);
    return value !== undefined && json ? JSON.stringify(value).slice(1, -1) : value;
  }

  /** Hides in `value` the secrets behind the handles in `source`, even if they would not be recognised. */
  hideValuesOf<T>(source: unknown, value: T): T {
    const handles = new Set(handlesIn(JSON.stringify(source)).map(({ handle }) => handle));
    const pairs = [...handles]
      .flatMap((handle) => this.#echoesOf(handle))
      .filter(([text]) => text.length >= MIN_ECHOED_CHARS);
    if (pairs.length === 0) return value;
    return mapTexts(value, (text) => pairs.reduce((shown, [echo, name]) => shown.replaceAll(echo, name), text));
  }

  /** Returns the printed forms of a handle's value: unchanged, and without escapes if it was part of a command. */
  #echoesOf(handle: string): readonly (readonly [text: string, handle: () => string])[] {
    const value = this.#vault.value(handle);
    if (value === undefined) return [];
    const printed = value.replace(/\\(.)/g, '$1');
    const kind = handle.slice(1, handle.lastIndexOf('_'));
    const other = () => this.#vault.handle(printed, kind, 'what a command printed');
    return [[value, () => handle], ...(printed === value ? [] : [[printed, other] as const])];
  }

  value(handle: string): string | undefined {
    return this.#vault.value(handle);
  }

  /** Returns whether a handle's value was first seen in an action's text. */
  seenIn(handle: string): SeenIn | undefined {
    return this.#vault.seenIn(handle);
  }

  /** Lists the secrets found so far, without their values. */
  list(): readonly SecretRow[] {
    return this.#vault.entries().map(({ handle, kind, where }) => ({ handle, kind, where }));
  }

  #readSources(): void {
    for (const source of this.#sources.splice(0)) {
      for (const { text, shape } of source())
        for (const { value, kind } of secretsOf(text, shape)) this.#known.add(value, kind, 'machine');
    }
  }
}

/** Replaces each finding by `handle(piece)`. Findings that contain a handle already stay. */
function replaced(text: string, findings: readonly Finding[], handle: (piece: string, kind: string) => string): string {
  const taken = handlesIn(text);
  let out = '';
  let from = 0;
  for (const { start, end, kind } of findings) {
    const piece = text.slice(start, end);
    if (taken.some(({ at, handle: old }) => at < end && at + old.length > start)) continue;
    out += text.slice(from, start) + handle(piece, kind) + stylesIn(piece);
    from = end;
  }
  return out + text.slice(from);
}

/** Returns the secret itself, without embedded colours and line ends. */
function secretIn(piece: string, kind: string): string {
  const bare = unstyled(piece).text;
  return kind === 'PRIVATE_KEY' ? bare : bare.replace(/\\?\r?\n[ \t]*/g, '');
}

/** Unescapes a piece of JSON text. */
function unescaped(piece: string): string {
  const parsed = piece.includes('\\') ? parse(`"${piece}"`) : undefined;
  return typeof parsed?.value === 'string' ? parsed.value : piece;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseBoundedJson(text) };
  } catch {
    return undefined;
  }
}

/** Maps each text in a value; unchanged parts are shared. */
function mapTexts<T>(value: T, change: (text: string, json: boolean) => string, json = false): T {
  if (typeof value === 'string') return change(value, json) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapTexts(item, change, json));
    return (items.some((item, index) => item !== value[index]) ? items : value) as T;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const mapped: unknown = mapTexts(item, change, key === JSON_FIELD && typeof item === 'string');
    if (mapped === item) continue;
    copy = { ...(copy ?? value), [key]: mapped };
  }
  return (copy ?? value) as T;
}

// Text with colours and links, which can split a secret that is whole again once they are removed.

/** The text without styles, and a map to the original offsets. */
function unstyled(text: string): { readonly text: string; place(index: number): number } {
  const cuts: { at: number; removed: number }[] = [];
  let removed = 0;
  let plain = '';
  let from = 0;
  for (const { at, end } of eachStyle(text)) {
    plain += text.slice(from, at);
    from = end;
    removed += end - at;
    cuts.push({ at: end - removed, removed });
  }
  plain += text.slice(from);
  return {
    text: plain,
    place(index) {
      let low = 0;
      let high = cuts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((cuts[middle]?.at ?? 0) <= index) low = middle + 1;
        else high = middle;
      }
      return index + (cuts[low - 1]?.removed ?? 0);
    },
  };
}

/** Returns the styles inside a replaced piece: without them the rest of the text would change colour. */
function stylesIn(text: string): string {
  return Array.from(eachStyle(text), (style) => ('sgr' in style ? text.slice(style.at, style.end) : '')).join('');
}

// `aish-tui secrets check`: one JSON line in, one out (CL-2).

/**
 * Maps `{"text","id"?}` to `{"id"?,"spans":[[start,end,kind]],"scrubbed"}`, with offsets in UTF-16 units. Other input
 * gives `{"error"}`, so that answers stay in step with lines. Each line is independent. Never throws.
 */
export function checkSecretsLine(json: string, filter: Pick<SecretsFilter, 'find'>): string {
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    return JSON.stringify({ error: 'not JSON; a line looks like {"text":"…"}' });
  }
  const text = typeof input === 'object' && input !== null && 'text' in input ? input.text : undefined;
  if (typeof text !== 'string') return JSON.stringify({ error: 'no "text"; a line looks like {"text":"…"}' });
  const id = typeof input === 'object' && input !== null && 'id' in input ? { id: input.id } : {};
  const findings = filter.find(text);
  const vault = new Vault();
  const scrubbed = replaced(text, findings, (piece, kind) => vault.handle(secretIn(piece, kind), kind, ''));
  return JSON.stringify({ ...id, spans: findings.map(({ start, end, kind }) => [start, end, kind]), scrubbed });
}

// Finds values known to be secret wherever they occur.

/** The length of the prefix used to look up a value, and of the shortest known value. */
const KEY_CHARS = 8;
/** How many characters of a value at the end of a text are enough to recognise it. */
const MIN_BEGINNING_CHARS = 12;
/** Values longer than this are also found across line breaks. */
const MIN_BROKEN_CHARS = 16;
/** How many values found in texts are kept; more would mean that somebody fills the memory. */
const MAX_VALUES = 5000;
const SLOTS = 1 << 16;

type Known = { readonly text: string; readonly kind: string };

/** Whether a value is distinctive enough to be searched without its name: not a word, path, number or host. */
function isDistinct(value: string): boolean {
  if (value.length < KEY_CHARS || isPlaceholder(value) || isOrdinary(value) || /^\d+$/.test(value)) return false;
  return mixed(value) || (value.length >= 16 && !/^[a-z]+(?:[-_ /.][a-z]+)*$/i.test(value));
}

class KnownValues {
  readonly #flags = new Uint8Array(SLOTS);
  readonly #byStart = new Map<string, Known[]>();
  readonly #seen = new Set<string>();
  #fromTexts = 0;

  /**
   * Adds a value and its encoded forms. Values found in texts never use up the room for this machine's own secrets.
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

  /** Finds every known value in the text, including one broken by line breaks or cut off at the end of the text. */
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

/** Returns the end of the value that begins at `at`; -1 if it is a different one. */
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

/** Returns the offset after a line break and the next line's indentation; -1 if there is no line break. */
function afterBreak(text: string, at: number): number {
  let here = text.charCodeAt(at) === 0x5c ? at + 1 : at;
  if (text.charCodeAt(here) === 0x0d) here += 1;
  if (text.charCodeAt(here) !== 0x0a) return -1;
  here += 1;
  for (let blanks = 0; blanks < 40 && (text.charCodeAt(here) === 0x20 || text.charCodeAt(here) === 0x09); blanks += 1)
    here += 1;
  return here;
}

/** A form in which a known value may occur: unchanged, or in a usual encoding. */
type Form = { readonly text: string; readonly suffix: '' | '_B64' | '_URL' | '_ESC' };

/** The shortest encoded piece to search for. */
const MIN_FORM_CHARS = 10;

/** Returns each form once, the value itself first. */
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

/**
 * Returns Base64 of the value alone, and of the value inside a longer text, without the characters that depend on its
 * neighbours.
 */
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
