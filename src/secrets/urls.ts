/** Passwords and tokens in URLs: `scheme://user:password@host`, `scheme://token@host`. */
import { type Finding, RANK } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';
import { isUuid, random } from './shape.ts';

const AUTHORITY = /[^\s"'<>`\\/?#]{1,600}/y;
/** A password that contains a slash or the like, in URLs whose paths do not usually contain `@`. */
const LOOSE = /[^\s"'<>`\\:@/]{0,100}:[^\s"'<>`\\@]{3,300}@[\w.-]{1,200}(?::\d{2,5})?(?:[/?\s"']|$)/y;

/** @param at where `//` ends */
export function addressAt(text: string, at: number): Finding | undefined {
  AUTHORITY.lastIndex = at;
  const authority = AUTHORITY.exec(text)?.[0];
  if (authority === undefined) return undefined;
  let info = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  if (info === '') {
    if (/https?:(?:\\?\/){2}$/i.test(text.slice(Math.max(0, at - 10), at))) return undefined;
    LOOSE.lastIndex = at;
    const loose = LOOSE.exec(text)?.[0];
    if (loose === undefined) return undefined;
    info = loose.slice(0, loose.lastIndexOf('@'));
  }
  const colon = info.indexOf(':');
  const value = colon < 0 ? info : info.slice(colon + 1);
  const start = at + (colon < 0 ? 0 : colon + 1);
  // A default that repeats the user name protects nothing.
  if (isPlaceholder(value) || value.length < 4 || info === `${value}:${value}`) return undefined;
  if (colon < 0 && !(random(value, 20) || isUuid(value))) return undefined;
  // A port and a path, not a password.
  if (/^\d{1,5}$/.test(value) && colon >= 0 && value.length < 6) return undefined;
  return { start, end: start + value.length, kind: colon < 0 ? 'URL_TOKEN' : 'URL_PASSWORD', rank: RANK.url };
}

const ORACLE = /thin:[\w.-]{1,60}\/([^\s"'@]{3,100})@/y;

/** `jdbc:oracle:thin:user/password@host`. */
export function oracleAt(text: string, at: number): Finding | undefined {
  ORACLE.lastIndex = at;
  const value = ORACLE.exec(text)?.[1];
  if (value === undefined || isPlaceholder(value)) return undefined;
  const end = ORACLE.lastIndex - 1;
  return { start: end - value.length, end, kind: 'URL_PASSWORD', rank: RANK.url };
}
