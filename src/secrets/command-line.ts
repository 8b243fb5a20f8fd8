/** Passwords in arguments that are not named as such: `curl -u me:…`, `mysql -p…`, `sshpass -p …`. */

import { pattern } from '../text/pattern.ts';
import { PROGRAMS, type Program } from './rules/table.ts';
import { type Finding, mixed, RANK, random } from './shape.ts';
import { isPlaceholder } from './vault.ts';

/** How many characters of one command are read. */
const MAX_COMMAND_CHARS = 2000;

type Word = { readonly start: number; readonly end: number; readonly text: string };

/** Finds the secrets in a call of a program at `at`; `end` is how far it was read. */
export function callAt(text: string, at: number, name: string): { found: Finding[]; end: number } {
  const after = text.charAt(at + name.length);
  const before = text.charAt(at - 1);
  const program = PROGRAMS[name];
  if (!program || !/[\s]/.test(after) || (at > 0 && !/[\s;&|(`/"'$=[,\\@]/.test(before))) return { found: [], end: at };
  const { words, end } = wordsFrom(text, at + name.length);
  if (program.needs !== undefined && !words.slice(0, 8).some((word) => program.needs?.includes(word.text))) {
    return { found: [], end: at };
  }
  return { found: secretsOf(program, words), end };
}

function secretsOf(program: Program, words: readonly Word[]): Finding[] {
  const found: Finding[] = [];
  const keep = (start: number, value: string, kind = 'PASSWORD') => {
    if (value.length >= 3 && !isPlaceholder(value) && !/^(?:-|\/|\.\/|@|<)/.test(value)) {
      found.push({ start, end: start + value.length, kind, rank: RANK.context });
    }
  };
  const pair = (word: Word, offset: number) => {
    const value = word.text.slice(offset);
    const colon = value.search(program.between ?? /:/);
    if (colon < 0) return;
    const secret = value.slice(colon + 1);
    const end = program.until ? secret.search(program.until) : -1;
    keep(word.start + offset + colon + 1, end < 0 ? secret : secret.slice(0, end));
  };
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    if (next && program.value?.includes(word.text)) keep(next.start, next.text);
    if (next && takesPair(program, word.text)) pair(next, 0);
    for (const offset of attachedAt(program, word.text)) keep(word.start + offset, word.text.slice(offset));
    for (const offset of pairAt(program, word.text)) pair(word, offset);
    for (const option of program.value ?? []) {
      if (word.text.startsWith(`${option}=`)) keep(word.start + option.length + 1, word.text.slice(option.length + 1));
    }
  }
  const plain = words.filter((word) => !word.text.startsWith('-'));
  // Without an output file there is one operand less.
  const fewer = program.less !== undefined && words.some((word) => program.less?.test(word.text)) ? 1 : 0;
  const place = program.operand === undefined ? undefined : plain[program.operand - fewer];
  if (place) keep(place.start, place.text);
  if (program.operandPair) for (const word of plain.slice(0, 1)) pair(word, 0);
  return found;
}

/** Whether the next word is user and password. `-su me:…`: flags may precede the option in one word. */
function takesPair({ pair = [] }: Program, text: string): boolean {
  const bundled = /^-[a-zA-Z]{2,6}$/.test(text) ? `-${text.at(-1) ?? ''}` : text;
  return pair.includes(text) || pair.includes(bundled);
}

/** Returns where a password starts in the word of its option. */
function attachedAt({ attached = [] }: Program, text: string): readonly number[] {
  return attached
    .filter((option) => text.startsWith(option) && (option.length > 2 || glued(text.slice(option.length))))
    .map(({ length }) => length)
    .filter((offset) => offset < text.length && text.charAt(offset) !== '=');
}

/** Returns where user and password start in the word of their option. */
function pairAt({ pair = [] }: Program, text: string): readonly number[] {
  return pair.flatMap((option) => {
    if (text.startsWith(`${option}=`)) return [option.length + 1];
    return option.length === 2 && text.startsWith(option) && text.length > 2 ? [2] : [];
  });
}

/** `-pSecret1` contains a password; `-print` and `-p3306` don't. */
function glued(value: string): boolean {
  return !/^\d{1,5}$/.test(value) && (mixed(value) || !/^[a-z-]{1,12}$/.test(value) || value.length >= 6);
}

/** Returns the words of a command, unquoted. */
function wordsFrom(text: string, from: number): { words: Word[]; end: number } {
  const words: Word[] = [];
  const stop = Math.min(text.length, from + MAX_COMMAND_CHARS);
  let at = from;
  while (at < stop) {
    const character = text.charAt(at);
    if (character === '\\' && /\r?\n/.test(text.slice(at + 1, at + 3))) {
      at = text.indexOf('\n', at) + 1;
    } else if (character === ' ' || character === '\t') at += 1;
    else if (/[\n;|&()]/.test(character)) break;
    else {
      const word = wordAt(text, at, stop);
      words.push(word);
      at = Math.max(word.end + (/["']/.test(text.charAt(word.end)) ? 1 : 0), at + 1);
    }
  }
  return { words, end: at };
}

/** Returns one word; for a quoted one, its contents. A quote inside a word (`-p'x y'`) extends to its end. */
function wordAt(text: string, at: number, stop: number): Word {
  const quote = text.charAt(at);
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, at + 1);
    const end = close < 0 || close > stop ? stop : close;
    return { start: at + 1, end, text: text.slice(at + 1, end) };
  }
  let end = at;
  while (end < stop && !/[\s;|&()"'<>`]/.test(text.charAt(end))) end += 1;
  const inner = text.charAt(end);
  if ((inner === "'" || inner === '"') && end > at) {
    const close = text.indexOf(inner, end + 1);
    if (close > 0 && close <= stop) {
      // Return the option and its quoted value as one word; the quote shifts the value's offsets.
      return { start: at + 1, end: close, text: text.slice(at, end) + text.slice(end + 1, close) };
    }
  }
  if (end === at) end += 1;
  return { start: at, end, text: text.slice(at, end) };
}

/** Passwords passed as input to a program: `echo … | sudo -S`, `user:…` for chpasswd, lines of credential files. */

const PIPED = pattern(
  String.raw`
    (?:echo
    |printf)[\x20\t]{1,4}(?:-[ne]{1,2}[\x20\t]{1,4})?(?:["']%s(?:\\n)?["'][\x20\t]{1,4})?(?:"([^"\n$\x60]{3,200})"
    |'([^'\n]{3,200})'
    |([^\s"'|;&$\x60<>]{3,200}))[\x20\t]{0,4}\|[\x20\t]{0,4}(?:sudo[\x20\t]{1,4}(?:-\w{1,4}[\x20\t]{1,4}){0,3}-\w{0,3}S
    |sudo[\x20\t]{1,4}-S|[^|\n]{0,80}--(?:password|token|passphrase)-(?:stdin|fd)|passwd[\x20\t]{1,4}--stdin
    |(?:sudo[\x20\t]{1,4})?chpasswd|gpg[\x20\t][^|\n]{0,60}--passphrase-fd|cryptsetup|kinit|smbpasswd|vncpasswd
    |gh[\x20\t]{1,4}auth)
  `,
  'y',
);

/** @param at the start of `echo` or `printf` */
export function pipedAt(text: string, at: number): Finding | undefined {
  PIPED.lastIndex = at;
  const found = PIPED.exec(text);
  if (!found) return undefined;
  const whole = (found[1] ?? found[2] ?? found[3] ?? '').replace(/\\n$/, '');
  const users = /chpasswd$/.test(found[0]) ? whole.indexOf(':') + 1 : 0;
  const value = whole.slice(users);
  if (value.length < 3 || isPlaceholder(value)) return undefined;
  const start = at + found[0].indexOf(whole) + users;
  return { start, end: start + value.length, kind: 'PASSWORD', rank: RANK.context };
}

const PGPASS = /(:(?:5432|\d{4,5}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:)([^\s:][^\r\n]{3,200})(?=\r?\n|$)/y;

/**
 * A line of `.pgpass`: `host:port:database:user:password`.
 * @param at the start of `:port:`
 */
export function pgpassAt(text: string, at: number): Finding | undefined {
  const lead = text.slice(Math.max(0, at - 101), at);
  const line = lead.slice(lead.lastIndexOf('\n') + 1);
  if (line === '' || line.length > 100 || !/^[ \t+-]{0,4}[\w*.-]+$/.test(line)) return undefined;
  PGPASS.lastIndex = at;
  const found = PGPASS.exec(text);
  if (!found || isPlaceholder(found[2] ?? '') || /\s/.test(found[2] ?? '')) return undefined;
  const start = at + (found[1] ?? '').length;
  return { start, end: PGPASS.lastIndex, kind: 'PASSWORD', rank: RANK.context };
}

const IDENTIFIED = /identified (?:by|with \w{1,40} by)[ \t]{1,4}(?:password[ \t]{1,4})?(["'])([^"'\n]{3,200})\1/iy;

/** Finds a password that an SQL statement sets. */
export function identifiedAt(text: string, at: number): Finding | undefined {
  IDENTIFIED.lastIndex = at;
  const value = IDENTIFIED.exec(text)?.[2];
  if (value === undefined || isPlaceholder(value)) return undefined;
  const end = IDENTIFIED.lastIndex - 1;
  return { start: end - value.length, end, kind: 'PASSWORD', rank: RANK.context };
}

const SHADOW =
  /((?:\$(?:1|apr1|2[aby]|5|6|y|gy|7|argon2id?)\$|\{SS?HA(?:256|512)?\})[A-Za-z0-9./$=,+-]{20,200})(?=[:\s"',]|$)/y;

/** A hashed password as in `/etc/shadow` and `htpasswd`. */
export function cryptedAt(text: string, at: number): Finding | undefined {
  SHADOW.lastIndex = at;
  return SHADOW.test(text)
    ? { start: at, end: SHADOW.lastIndex, kind: 'PASSWORD_HASH', rank: RANK.context }
    : undefined;
}

// Credentials in headers: `Authorization: Bearer …`, `Basic …`, cookies.

const BEARER = /bearer[ \t]{1,4}([A-Za-z0-9_.~+/=:|-]{8,4000})/iy;
const BASIC = /basic[ \t]{1,4}([A-Za-z0-9+/_-]{6,1000}={0,2})(?![A-Za-z0-9+/=])/iy;
const OTHER =
  /authorization\\{0,3}["'`]?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,3}["'`]?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,4})?(?:token=|key=)?\\{0,3}["']?([A-Za-z0-9_.~+/=:-]{8,4000})/iy;
const SIGNED = /Signature=([0-9a-f]{64})(?![0-9a-f])/y;

/** @param at the start of `bearer` */
export function bearerAt(text: string, at: number): Finding | undefined {
  return credential(text, at, BEARER, 'TOKEN', (value) => random(value, 12) || (value.length >= 20 && mixed(value)));
}

/** Finds the Base64 of `user:password`. */
export function basicAt(text: string, at: number): Finding | undefined {
  return credential(text, at, BASIC, 'BASIC_AUTH', (value) => {
    try {
      const said = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
      return /^[\x20-\x7e]*:[\x20-\x7e]+$/.test(said) && !isPlaceholder(said.slice(said.indexOf(':') + 1));
    } catch {
      return false;
    }
  });
}

/** A header without one of these schemes: `Authorization: token x`, `Authorization: x`. */
export function authorizationAt(text: string, at: number): Finding | undefined {
  return credential(text, at, OTHER, 'TOKEN', (value) => random(value, 16) && !/^(?:Bearer|Basic)$/i.test(value));
}

/** The signature of a signed request. */
export function signatureAt(text: string, at: number): Finding | undefined {
  return credential(text, at, SIGNED, 'SIGNATURE', () => true);
}

function credential(
  text: string,
  at: number,
  pattern: RegExp,
  kind: string,
  holds: (value: string) => boolean,
): Finding | undefined {
  if (/[A-Za-z0-9]/.test(text.charAt(at - 1)) && !/\\[nrt]$/.test(text.slice(Math.max(0, at - 2), at)))
    return undefined;
  pattern.lastIndex = at;
  const raw = pattern.exec(text)?.[1];
  if (raw === undefined) return undefined;
  const end = pattern.lastIndex;
  const value = raw.replace(/[.:]$/, '');
  if (isPlaceholder(value) || !holds(value)) return undefined;
  return { start: end - raw.length, end: end - raw.length + value.length, kind, rank: RANK.context };
}

const COOKIES = /(?:set-)?cookie\\{0,3}["']?[ \t]{0,2}:[ \t]{0,4}\\{0,3}["']?([^\r\n"']{8,4000})/iy;
const SESSION = /(?:sess|sid$|^sid|auth|token|jwt|remember|login|_id$|csrf|xsrf|connect\.)/i;
const COOKIE_WORDS = new Set(['path', 'domain', 'expires', 'max-age', 'samesite', 'secure', 'httponly']);

/** Returns the values of session cookies. */
export function cookiesAt(text: string, at: number): Finding[] {
  COOKIES.lastIndex = at;
  const list = COOKIES.exec(text)?.[1];
  if (list === undefined) return [];
  const found: Finding[] = [];
  let from = COOKIES.lastIndex - list.length;
  for (const part of list.split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1);
    if (
      equals > 0 &&
      !COOKIE_WORDS.has(name.toLowerCase()) &&
      SESSION.test(name) &&
      random(value.trim(), 12) &&
      !isPlaceholder(value)
    ) {
      const start = from + equals + 1;
      found.push({ start, end: start + value.trimEnd().length, kind: 'SESSION', rank: RANK.context });
    }
    from += part.length + 1;
  }
  return found;
}
