/** Credentials in headers: `Authorization: Bearer …`, `Basic …`, cookies. */
import { type Finding, RANK } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';
import { mixed, random } from './shape.ts';

const BEARER = /bearer[ \t]{1,4}([A-Za-z0-9_.~+/=:|-]{8,4000})/iy;
const BASIC = /basic[ \t]{1,4}([A-Za-z0-9+/_-]{6,1000}={0,2})(?![A-Za-z0-9+/=])/iy;
const OTHER =
  /authorization\\{0,3}["'`]?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,3}["'`]?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,4})?(?:token=|key=)?\\{0,3}["']?([A-Za-z0-9_.~+/=:-]{8,4000})/iy;
const SIGNED = /Signature=([0-9a-f]{64})(?![0-9a-f])/y;

/** @param at where `bearer` begins */
export function bearerAt(text: string, at: number): Finding | undefined {
  return credential(text, at, BEARER, 'TOKEN', (value) => random(value, 12) || (value.length >= 20 && mixed(value)));
}

/** Base64 of `user:password`. */
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

/** A header without one of the two schemes: `Authorization: token x`, `Authorization: x`. */
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

/** The values of cookies that name a session. */
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
