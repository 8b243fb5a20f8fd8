/**
 * The one filter through which everything passes that is stored or sent (SE-1, SE-2, SE-3): what comes into the session
 * in src/engine/secrets-on-entry.ts, what goes out with a request in src/app/secrets-filter.ts.
 */
import type { SecretRow, SeenIn } from '../contracts/secrets.ts';
import { parseBoundedJson } from '../text/json.ts';
import { eachStyle } from '../text/style.ts';
import { detect, detectInTurns } from './detect.ts';
import { type Finding, isOrdinary, mixed, RANK, settle } from './shape.ts';
import { type Source, secretsOf } from './sources.ts';
import { handlesIn, isPlaceholder, replaceHandles, Vault } from './vault.ts';

type From = { readonly where: string; readonly seenIn: SeenIn };

/** Fields of an event that hold JSON text: their values are escaped. */
const JSON_FIELD = 'arguments';

/** How often a text is searched: the second pass finds what the first one learned. */
const MAX_PASSES = 3;

/**
 * Texts that are looked through beforehand: of a reply, its reasoning, its words and the long arguments of its calls.
 */
const MAX_LOOKED = 10;

/** Shorter values occur in many texts by chance. */
const MIN_ECHOED_CHARS = 6;

export class SecretsFilter {
  readonly #vault = new Vault();
  readonly #known = new KnownValues();
  readonly #sources: (() => Iterable<Source>)[] = [];
  /** Texts that were looked through and not searched since, and what the rules found in them. */
  #looked: readonly { readonly text: string; readonly found: readonly Finding[] }[] = [];

  /** Names a source of known values; it is read once, before the next text is filtered. */
  learn(source: () => Iterable<Source>): void {
    this.#sources.push(source);
  }

  /** The secrets of a text, in order, none overlapping; offsets are UTF-16. */
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
   * Looks through a long text a piece a turn of the event loop; the next search of the same text by the rules is
   * spared.
   */
  async lookThrough(text: string): Promise<void> {
    if (text === '') return;
    const found = await detectInTurns(text);
    this.#looked = [...this.#looked, { text, found }].slice(-MAX_LOOKED);
  }

  /**
   * The same value with handles in place of secrets: a text, or all texts within. The same object where nothing was
   * found. `where` says in a few words where it comes from, for `:secrets`; `seenIn`, whether it is an action's text.
   */
  hide<T>(value: T, where = '', seenIn: SeenIn = 'data'): T {
    const from = { where, seenIn };
    return mapTexts(value, (text, json) => (json ? this.#hideJson(text, from) : this.#hideText(text, from)));
  }

  #hideText(text: string, from: From, json = false): string {
    if (text.length < 4) return text;
    let hidden = text;
    // What is learnt from a text by its name may stand in the same text once more, bare.
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

  /** JSON stays JSON: where a finding would break it, each text in it is searched by itself. */
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

  /** Puts the real values back, as far as this process knows them; handles of another process stay. */
  reveal<T>(value: T): T {
    // Each request asks for the whole conversation.
    if (this.#vault.isEmpty) return value;
    return mapTexts(value, (text, json) => replaceHandles(text, (handle) => this.#revealed(handle, json)));
  }

  #revealed(handle: string, json: boolean): string | undefined {
    const value = this.#vault.value(handle);
    return value !== undefined && json ? JSON.stringify(value).slice(1, -1) : value;
  }

  /** Hides in `value` what the handles in `source` stand for, even where it would not be recognised as a secret. */
  hideValuesOf<T>(source: unknown, value: T): T {
    const handles = new Set(handlesIn(JSON.stringify(source)).map(({ handle }) => handle));
    const pairs = [...handles]
      .flatMap((handle) => this.#echoesOf(handle))
      .filter(([text]) => text.length >= MIN_ECHOED_CHARS);
    if (pairs.length === 0) return value;
    return mapTexts(value, (text) => pairs.reduce((shown, [echo, name]) => shown.replaceAll(echo, name), text));
  }

  /** How the value behind a handle is printed: as it is; one that stood in a command with escapes, without them. */
  #echoesOf(handle: string): readonly (readonly [text: string, handle: () => string])[] {
    const value = this.#vault.value(handle);
    if (value === undefined) return [];
    const printed = value.replace(/\\(.)/g, '$1');
    const kind = handle.slice(1, handle.lastIndexOf('_'));
    const other = () => this.#vault.handle(printed, kind, 'what a command printed');
    return [[value, () => handle], ...(printed === value ? [] : [[printed, other] as const])];
  }

  /** The value behind a handle. */
  value(handle: string): string | undefined {
    return this.#vault.value(handle);
  }

  /** Whether the value behind a handle was first seen in an action's text. */
  seenIn(handle: string): SeenIn | undefined {
    return this.#vault.seenIn(handle);
  }

  /** What has been found so far, without values. */
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

/** The text with `handle(piece)` in place of each finding. What holds a handle already is left. */
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

/** The secret itself, without the colours and line ends that ran through it. */
function secretIn(piece: string, kind: string): string {
  const bare = unstyled(piece).text;
  return kind === 'PRIVATE_KEY' ? bare : bare.replace(/\\?\r?\n[ \t]*/g, '');
}

/** A piece of a JSON text, unescaped. */
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

/** The same value with each text in it mapped; unchanged parts are shared. */
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

// Text with colours and links, which may cut a secret into pieces that are whole again once they are stripped.

/** The text without styles, and the original offset of each character. */
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

/** The styles within a replaced piece: they stay, or the rest of the text would change colour. */
function stylesIn(text: string): string {
  return Array.from(eachStyle(text), (style) => ('sgr' in style ? text.slice(style.at, style.end) : '')).join('');
}

// `aish-tui secrets check`: one JSON line in, one out (CL-2).

/**
 * `{"text","id"?}` → `{"id"?,"spans":[[start,end,kind]],"scrubbed"}`, offsets in UTF-16 units of the text. Input that
 * is no such object gives `{"error"}`, so that answers stay in step with lines. Each line is answered by itself. Never
 * throws.
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

// Values known to be secret, found wherever they occur.

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

class KnownValues {
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
