/** Passwords passed as arguments whose name does not say so: `curl -u me:…`, `mysql -p…`, `sshpass -p …`. */

import { type Finding, RANK } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';
import { PROGRAMS, type Program } from './rules/programs.ts';
import { mixed } from './shape.ts';

/** How many characters of one command are read. */
const MAX_COMMAND_CHARS = 2000;

type Word = { readonly start: number; readonly end: number; readonly text: string };

/** The secrets in a call of a program at `at`; `end` is how far it was read. */
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
  // Without a file to write to there is one operand less.
  const fewer = program.less !== undefined && words.some((word) => program.less?.test(word.text)) ? 1 : 0;
  const place = program.operand === undefined ? undefined : plain[program.operand - fewer];
  if (place) keep(place.start, place.text);
  if (program.operandPair) for (const word of plain.slice(0, 1)) pair(word, 0);
  return found;
}

/** Is the next word name and password? `-su me:…`: flags may stand before the option in one word. */
function takesPair({ pair = [] }: Program, text: string): boolean {
  const bundled = /^-[a-zA-Z]{2,6}$/.test(text) ? `-${text.at(-1) ?? ''}` : text;
  return pair.includes(text) || pair.includes(bundled);
}

/** Where a password begins in the word of its option. */
function attachedAt({ attached = [] }: Program, text: string): readonly number[] {
  return attached
    .filter((option) => text.startsWith(option) && (option.length > 2 || glued(text.slice(option.length))))
    .map(({ length }) => length)
    .filter((offset) => offset < text.length && text.charAt(offset) !== '=');
}

/** Where name and password begin in the word of their option. */
function pairAt({ pair = [] }: Program, text: string): readonly number[] {
  return pair.flatMap((option) => {
    if (text.startsWith(`${option}=`)) return [option.length + 1];
    return option.length === 2 && text.startsWith(option) && text.length > 2 ? [2] : [];
  });
}

/** `-pSecret1` carries a password; `-print` and `-p3306` are something else. */
function glued(value: string): boolean {
  return !/^\d{1,5}$/.test(value) && (mixed(value) || !/^[a-z-]{1,12}$/.test(value) || value.length >= 6);
}

/** The words of a command, unquoted. */
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

/** One word; for a quoted one, its contents. A quote inside a word (`-p'x y'`) extends to its end. */
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
      // The option and its quoted value as one word; offsets of the value move by the quote.
      return { start: at + 1, end: close, text: text.slice(at, end) + text.slice(end + 1, close) };
    }
  }
  if (end === at) end += 1;
  return { start: at, end, text: text.slice(at, end) };
}

/** Passwords on their way into a program: `echo … | sudo -S`, `user:…` for chpasswd, lines of credential files. */

const PIPED =
  /(?:echo|printf)[ \t]{1,4}(?:-[ne]{1,2}[ \t]{1,4})?(?:["']%s(?:\\n)?["'][ \t]{1,4})?(?:"([^"\n$`]{3,200})"|'([^'\n]{3,200})'|([^\s"'|;&$`<>]{3,200}))[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4}){0,3}-\w{0,3}S|sudo[ \t]{1,4}-S|[^|\n]{0,80}--(?:password|token|passphrase)-(?:stdin|fd)|passwd[ \t]{1,4}--stdin|(?:sudo[ \t]{1,4})?chpasswd|gpg[ \t][^|\n]{0,60}--passphrase-fd|cryptsetup|kinit|smbpasswd|vncpasswd|gh[ \t]{1,4}auth)/y;

/** @param at where `echo` or `printf` begins */
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

/** A line of `.pgpass`: `host:port:database:user:password`. @param at where `:port:` begins */
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

/** SQL that sets a password. */
export function identifiedAt(text: string, at: number): Finding | undefined {
  IDENTIFIED.lastIndex = at;
  const value = IDENTIFIED.exec(text)?.[2];
  if (value === undefined || isPlaceholder(value)) return undefined;
  const end = IDENTIFIED.lastIndex - 1;
  return { start: end - value.length, end, kind: 'PASSWORD', rank: RANK.context };
}

const SHADOW =
  /((?:\$(?:1|apr1|2[aby]|5|6|y|gy|7|argon2id?)\$|\{SS?HA(?:256|512)?\})[A-Za-z0-9./$=,+-]{20,200})(?=[:\s"',]|$)/y;

/** A crypted password as `/etc/shadow` and `htpasswd` keep it. */
export function cryptedAt(text: string, at: number): Finding | undefined {
  SHADOW.lastIndex = at;
  return SHADOW.test(text)
    ? { start: at, end: SHADOW.lastIndex, kind: 'PASSWORD_HASH', rank: RANK.context }
    : undefined;
}
