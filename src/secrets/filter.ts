/**
 * The one filter through which everything passes that is stored or sent (SE-1, SE-2, SE-3): what comes into the session
 * in src/engine/secrets-on-entry.ts, what goes out with a request in src/app/secrets-filter.ts.
 */
import type { SecretRow, SeenIn } from '../contracts/secrets.ts';
import { parseBoundedJson } from '../text/json.ts';
import { eachStyle } from '../text/style.ts';
import { detect, detectInTurns } from './detect.ts';
import { KnownValues } from './known.ts';
import { type Finding, settle } from './shape.ts';
import { type Source, secretsOf } from './sources.ts';
import { handlesIn, replaceHandles, Vault } from './vault.ts';

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
