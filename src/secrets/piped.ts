/** Passwords on their way into a program: `echo … | sudo -S`, `user:…` for chpasswd, lines of credential files. */
import { type Finding, RANK } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';

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
