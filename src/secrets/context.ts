/**
 * Recognises secrets by the name before them: `password=…`, `"token": "…"`, `--api-key …`, in any language or format.
 */

import { pattern } from '../text/pattern.ts';
import { type Grade, gradeOf } from './key-name.ts';
import { PROGRAMS } from './rules/table.ts';
import { entropy, type Finding, isCode, isOrdinary, isUuid, mixed, RANK, random } from './shape.ts';
import { isPlaceholder } from './vault.ts';

/** How many characters of a name are read on either side of the matched word. */
const MAX_REACH_CHARS = 64;
const NAME = /[A-Za-z0-9_.$-]/;

/** How a value is connected to its name. */
type Joint = 'tight' | 'spaced' | 'colon' | 'flag' | 'call' | 'pair' | 'tag' | 'said' | 'word' | 'list' | 'directive';

type Named = { readonly from: number; readonly to: number; readonly name: string };

/** Returns the whole name around the matched word. */
export function nameAround(text: string, at: number, length: number): Named {
  let from = at;
  while (from > 0 && at - from < MAX_REACH_CHARS && NAME.test(text.charAt(from - 1))) from -= 1;
  let to = at + length;
  while (to < text.length && to - at < MAX_REACH_CHARS && NAME.test(text.charAt(to))) to += 1;
  while (to > at && /[.$-]/.test(text.charAt(to - 1))) to -= 1;
  const name = text.slice(from, to);
  // `API key: …`, `Unseal Key 1: …`: a name of two words.
  const two = /^(?:keys?|phrase)$/i.test(name)
    ? /([A-Za-z]{2,16})[ \t]$/.exec(text.slice(Math.max(0, from - 18), from))
    : null;
  const number = two && /^[ \t]#?\d{1,2}(?=[ \t]{0,4}[:=])/.exec(text.slice(to, to + 10));
  return { from, to: to + (number ? number[0].length : 0), name: two ? `${two[1]}_${name}` : name };
}

/** `?key=…`: in a URL the word `key` is enough if the value looks like a secret. */
const PARAMETER: Grade = { kind: 'API_KEY', strength: 'weak' };

/** Returns the value after the name, if it is a secret. */
export function namedValue(text: string, named: Named): Finding | undefined {
  const { from, to, name } = named;
  // In `htpasswd -b …` the word is a program, not a name.
  if (/[ \t]/.test(text.charAt(to)) && (PROGRAMS[name] || name === 'chpasswd')) return undefined;
  const parameter = /[?&;]/.test(text.charAt(from - 1));
  const grade = gradeOf(name) ?? (parameter && /^(?:key|code)$/i.test(name) ? PARAMETER : undefined);
  if (!grade || (grade.kind === 'SIGNATURE' && !parameter)) return undefined;
  const found = joined(text, named);
  if (!found) return undefined;
  const bare = withoutScheme(text, found.value);
  const value = text.slice(bare.start, bare.end);
  if (!plausible(value, grade, found.joint, found.value.quote === 'quoted')) return undefined;
  return { start: bare.start, end: bare.end, kind: grade.kind, rank: RANK.context };
}

type Joined = { readonly value: Value; readonly joint: Joint };

const CLOSE = /\\{0,4}["'`]?\]?\)?[ \t]{0,24}/y;
const SEPARATOR = /(?::=|=>|->|===?|:|=)/y;
const BLANKS = /[ \t]{0,24}/y;
const TYPED =
  /:?[ \t]{0,4}(?:Optional\[)?[&*]?(?:'\w+ )?[A-Za-z_][\w<>.[\]| ]{0,30}?[ \t]{0,4}=[ \t]{0,4}(?=[brfuBRFU@$L]{0,2}["'`])/y;
const BLOCK = /[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40}/y;
const NEXT_LINE = /[ \t]{0,8}\r?\n[ \t]{1,40}(?=["'])/y;
const LIST_VALUE =
  /\\{0,4}["']?[ \t]{0,4}[,;]?\s{0,60}(?:- )?\\{0,4}["']?(?:value|Value|VALUE|default|secretValue|content|data)\\{0,4}["']?[ \t]{0,4}[:=][ \t]{0,4}/y;
const VARIABLE = /["'][ \t]{0,4}\{[^{}]{0,200}?\bdefault[ \t]{0,8}=[ \t]{0,4}/y;
const TAG_END = /[^<>\n]{0,80}>[ \t]{0,8}(?:<!\[CDATA\[)?/y;
const TAG_VALUE = /[ \t]{1,4}(?:[\w:-]{1,20}="[^"\n]{0,60}"[ \t]{1,4}){0,2}value=(?=")/y;
const SAID = pattern(
  String.raw`
    (?:[\x20\t]for[\x20\t](?:the[\x20\t])?(?:user[\x20\t]
    |account[\x20\t])?["']?[\w.@-]{1,40}["']?)?[\x20\t]{1,4}(?:is\x20generated\x20for\x20[^\s:]{1,60}:
    |(?:has\x20been\x20|was\x20|is\x20)?(?:set|changed|reset)\x20to|is|was|are|of|to\x20be|equals|as|used
    |changed\x20to|set\x20as|now)[\x20\t:]{1,4}(?=\S)
  `,
  'y',
);
/** `token for ci: …`, `private key (hex): …`, `secret value: …` */
const REMARK =
  /[ \t](?:\([^()\n]{1,24}\)|value|string|for[ \t][\w@.-]{1,40}(?:[ \t][\w@.-]{1,40})?)[ \t]{0,2}[:=][ \t]{1,4}(?=\S)/y;
/** The words up to the end of the line, as in a passphrase. */
const PHRASE = /[a-z]{3,12}(?:[ -][a-z]{3,12}){3,23}(?=\s*(?:\n|$))/y;
const OPENED = /\([ \t]{0,4}(?=["'`])/y;
const COMMA = /,[ \t]{0,8}(?=["'`])/y;

function joined(text: string, { from, to, name }: Named): Joined | undefined {
  const before = text.charAt(from - 1);
  // The word is the user part of a URL.
  if (before === '/' && text.startsWith('://', from - 3)) return undefined;
  const own = named(before, name);
  const inMarkup = inList(text, from, to, own) ?? inTag(text, from, to, own);
  if (inMarkup) return inMarkup.found;
  if (/variable[ \t]{1,4}["']$/.test(text.slice(Math.max(0, from - 14), from))) {
    const fallback = sticky(VARIABLE, text, to);
    return fallback < 0 ? undefined : valueAt(text, fallback, 'list', own);
  }
  const typed = sticky(TYPED, text, to);
  if (typed >= 0 && text.charAt(to) !== '=') return valueAt(text, typed, 'spaced', own);
  const opened = sticky(OPENED, text, to);
  if (opened >= 0) return valueAt(text, opened, 'call', own);
  const closed = sticky(CLOSE, text, to);
  const quoted = /["'`]/.test(text.slice(to, closed));
  if (quoted) {
    const comma = sticky(COMMA, text, closed);
    if (comma >= 0 && /[(,]\s{0,4}["'`]$/.test(text.slice(Math.max(0, from - 6), from)))
      return valueAt(text, comma, 'pair', own);
  }
  const separator = sticky(SEPARATOR, text, closed);
  if (separator < 0) return blankSeparated(text, from, to, own, quoted);
  return assigned(text, closed, separator, closed > to + (quoted ? 2 : 0), own);
}

/** `- name: DB_PASSWORD` with its value in the next line or field. */
function inList(text: string, from: number, to: number, own: Before): Inside {
  const list = sticky(LIST_VALUE, text, to);
  const named =
    list >= 0 &&
    /(?:name|Name|key|Key|variable)\\{0,4}["']?[ \t]{0,4}[:= ][ \t]{0,4}\\{0,4}["']?$/.test(
      text.slice(Math.max(0, from - 24), from),
    );
  return named ? { found: valueAt(text, list, 'list', own) } : undefined;
}

/** `<password>x</password>`, `<add key="password" value="x"/>`. */
function inTag(text: string, from: number, to: number, own: Before): Inside {
  const before = text.charAt(from - 1);
  const opens =
    (before === '<' && text.charAt(from - 2) !== '<') ||
    (before === ':' && /<\w{1,20}:$/.test(text.slice(Math.max(0, from - 22), from)));
  if (!opens) return undefined;
  const attribute = sticky(TAG_VALUE, text, to);
  const at = attribute >= 0 ? attribute : sticky(TAG_END, text, to);
  return at >= 0 ? { found: valueAt(text, at, 'tag', own) } : undefined;
}

/** The value follows a sign such as `=` or `:`. */
function assigned(
  text: string,
  closed: number,
  separator: number,
  blankBefore: boolean,
  own: Before,
): Joined | undefined {
  const sign = text.slice(closed, separator);
  if (sign === '==' || sign === '===' || (sign === ':' && text.charAt(separator) === ':')) return undefined;
  const behind = sticky(BLANKS, text, separator);
  const spaced = behind > separator || blankBefore;
  const block = sticky(BLOCK, text, behind);
  if (block >= 0 && sign === ':') return valueAt(text, block, 'colon', own);
  const next = sticky(NEXT_LINE, text, behind);
  const at = next >= 0 ? next : behind;
  return valueAt(text, at, sign === ':' ? 'colon' : spaced ? 'spaced' : 'tight', own);
}

/** Decided, with or without a value; undefined: the name is not in such a construct. */
type Inside = { readonly found: Joined | undefined } | undefined;

type Before = { readonly parameter: boolean; readonly flag: boolean; readonly name: string };

function named(before: string, name: string): Before {
  return { parameter: before === '?' || before === '&', flag: name.startsWith('-'), name };
}

/** Finds a value that only blanks separate from its name: an option, a configuration file, a sentence, SQL. */
function blankSeparated(text: string, from: number, to: number, before: Before, quoted: boolean): Joined | undefined {
  if (quoted) return undefined;
  const remarked = sticky(REMARK, text, to);
  if (remarked >= 0) return valueAt(text, remarked, 'said', before);
  const said = sticky(SAID, text, to);
  if (said >= 0) return valueAt(text, said, 'said', before);
  const behind = sticky(BLANKS, text, to);
  if (behind === to || behind >= text.length || text.charAt(behind) === '-') return undefined;
  if (before.flag) return valueAt(text, behind, 'flag', before);
  const lead = text.slice(Math.max(0, from - 80), from);
  const line = lead.slice(lead.lastIndexOf('\n') + 1);
  const commanded = pattern(String.raw`
      (?:\b(?:ENV|ARG|setenv|set\x20-\w{1,3}|configure\x20set|config\x20set|config:set|secrets?\x20set
      |env\x20add|config\x20--global|config|export|SET|put|add)[\x20\t]+(?:[\w./:-]{1,40}[\x20\t]+)?|\b(?:login
      |user|account|machine|default)[\x20\t]+\S{1,60}[\x20\t]+)$
    `).test(line);
  const directive = /^[ \t]*$/.test(line) || /^[A-Z_]+$/.test(before.name);
  return valueAt(text, behind, commanded ? 'flag' : directive ? 'directive' : 'word', before);
}

function valueAt(text: string, at: number, joint: Joint, before: Before): Joined | undefined {
  const quoted = quotedAt(text, at);
  const words = /(?:phrase|mnemonic)$/i.test(before.name) ? sticky(PHRASE, text, at) : -1;
  if (!quoted && words >= 0) return { value: { start: at, end: words, quote: 'quoted' }, joint };
  if (quoted) return { value: quoted, joint };
  if (joint === 'call' || joint === 'pair') return undefined;
  const wholeLine = joint === 'tight' && !before.parameter && ownLine(text, at, before.name);
  const value = bareAt(text, at, { parameter: before.parameter, wholeLine, spoken: joint === 'said' });
  if (!value || (joint === 'tag' && !/^(?:<|\]\]>)/.test(text.slice(value.end, value.end + 3)))) return undefined;
  return { value, joint };
}

/** Matches `NAME=value` as a whole line without anything that a shell would split. */
function ownLine(text: string, at: number, name: string): boolean {
  const lead = text.slice(Math.max(0, at - name.length - 24), at);
  const line = lead.slice(lead.lastIndexOf('\n') + 1);
  if (!/^[ \t+>-]{0,12}(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?[\w.-]+=$/.test(line)) return false;
  const rest = /[^\s]{0,600}/y;
  rest.lastIndex = at;
  const value = rest.exec(text)?.[0] ?? '';
  const end = at + value.length;
  const closed = end === text.length || /[\r\n]/.test(text.charAt(end)) || /^[ \t]+#/.test(text.slice(end, end + 8));
  return closed && !/^["'`]|["'`]$|[;|&]{2}|[;|](?:\w+=|[a-z]+$|$)|\\n|[)}\]>]$|[,;]$|^</.test(value);
}

const SCHEME =
  /^(?:Bearer|Basic|Token|ApiKey|Api-Key|Api-Token|Key|SSWS|GenieKey|Bot|OAuth|JWT|PRIVATE-TOKEN)[ \t]+|^(?:token=|pass:)/i;

/** Removes the scheme of `Bearer x`. */
function withoutScheme(text: string, value: Value): { start: number; end: number } {
  const scheme = SCHEME.exec(text.slice(value.start, value.start + 24))?.[0];
  if (scheme === undefined) return value;
  const start = value.start + scheme.length;
  if (start < value.end) return { start, end: value.end };
  // An unquoted value ended at the blank after the scheme.
  const rest = bareAt(text, start, { parameter: false, wholeLine: false, spoken: false });
  return rest ?? value;
}

type Candidate = { readonly value: string; readonly grade: Grade; readonly joint: Joint; readonly quoted: boolean };

/** Whether a value looks like a secret, if its name and notation are ambiguous. */
function plausible(value: string, grade: Grade, joint: Joint, quoted: boolean): boolean {
  const { kind } = grade;
  if (value.length < 4 || isPlaceholder(value) || isOrdinary(value)) return false;
  // The query of a URL: each parameter is judged separately.
  if (/^\?\w+=/.test(value)) return false;
  const sentence =
    /\s/.test(value) && !(quoted && kind === 'PASSWORD' && value.split(/\s+/).length <= 6 && mixed(value));
  if (value.trim() !== value || sentence) return phrase(value, kind, quoted);
  const candidate = { value, grade, joint, quoted };
  const loose = LOOSE[joint];
  if (loose) return loose(candidate);
  if (grade.strength === 'weak') return underWeakName(candidate);
  if (!quoted && (joint === 'spaced' || joint === 'colon') && isCode(value)) return false;
  return kind === 'PASSWORD' ? isLikePassword(candidate) : isLikeKey(candidate);
}

/** Notations that also connect harmless values. */
const LOOSE: { readonly [joint in Joint]?: (candidate: Candidate) => boolean } = {
  word: ({ value, grade: { strength }, quoted }) =>
    (quoted || !isCode(value)) && (strength === 'strong' ? random(value) : random(value, 24)),
  directive: ({ value, grade: { kind, strength }, quoted }) =>
    (quoted || !isCode(value)) && strength === 'strong' && mixed(value) && (kind === 'PASSWORD' || random(value)),
  pair: ({ value }) => value.length >= 6 && mixed(value) && !plainName(value),
  call: ({ value }) => value.length >= 6 && mixed(value) && /\d/.test(value),
};

function underWeakName({ value, grade: { kind }, quoted }: Candidate): boolean {
  // A pair within a pair: the inner one is judged separately.
  if (/^[A-Za-z_][\w-]{1,30}=[^=]/.test(value)) return false;
  if (isUuid(value)) return kind === 'SECRET';
  if (random(value, kind === 'API_KEY' ? 20 : 16)) return true;
  return kind === 'PASSWORD' && (strongPassword(value) || (quoted && mixed(value)));
}

function isLikeKey({ value, joint }: Candidate): boolean {
  if (/^\d+$/.test(value) || value.length < 8) return false;
  if (joint === 'said') return mixed(value) && /\d/.test(value) && value.length >= 10;
  return mixed(value) ? !plainName(value) : value.length >= 20 && entropy(value) > 3.3 && !/[-_ .]/.test(value);
}

function isLikePassword({ value, joint, quoted }: Candidate): boolean {
  if (/^\d+$/.test(value)) return value.length >= 6 && joint !== 'spaced' && joint !== 'said';
  if (joint === 'said') return value.length >= 6 && (strongPassword(value) || (mixed(value) && value.length >= 12));
  return quoted || (joint !== 'spaced' && joint !== 'colon') || (value.length >= 6 && mixed(value));
}

/** `key-v2`, `token1`: a name with a number. */
function plainName(value: string): boolean {
  return /^[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?v?\d{1,2}$/.test(value) && value.length < 24;
}

/** Letters mixed with digits or punctuation, or several digits at the end of a word. */
function strongPassword(value: string): boolean {
  return mixed(value) && (value.match(/[^A-Za-z]/g) ?? []).length >= 2;
}

/** A passphrase of several words, if the name announces one. */
function phrase(value: string, kind: string, quoted: boolean): boolean {
  return kind === 'PASSWORD' && quoted && value.split(' ').length >= 4 && /^[a-z]+(?: [a-z]+){3,23}$/.test(value);
}

function sticky(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Reads the value after a name: finds its start and end in any syntax. */

type Quote = 'none' | 'quoted';
type Value = { readonly start: number; readonly end: number; readonly quote: Quote };

const MAX_VALUE_CHARS = 4096;
const OPEN = /(?:[brfuBRFU@$LS]{1,2}(?=["']))?(\\{0,4}["'`]|&quot;|%22|&#34;|&#x27;)/y;

/** Reads a quoted value that opens at `at`; undefined if there is none, or none that closes on the same line. */
function quotedAt(text: string, at: number): Value | undefined {
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

type Around = {
  /** Whether it is a URL parameter, which `&` ends. */
  readonly parameter: boolean;
  /** Whether name and value are a whole line, as in a `.env` file: the value extends to its end. */
  readonly wholeLine: boolean;
  /** Whether the value is in a sentence: punctuation inside the value belongs to it, but not at its end. */
  readonly spoken: boolean;
};

/** Reads an unquoted value that begins at `at`. */
function bareAt(text: string, at: number, around: Around): Value | undefined {
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
  // An escape for a line end within a string, or for a quote.
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

/** Removes closing brackets and full stops that belong to the surrounding text. */
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
