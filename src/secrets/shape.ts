/** Measures of a value's characters, without judgement. */

import { pattern } from '../text/pattern.ts';

const counts = new Uint16Array(128);

/** Shannon entropy in bits per character over at most the first 400; all non-ASCII counts as one character. */
export function entropy(value: string): number {
  const length = Math.min(value.length, 400);
  counts.fill(0);
  for (let at = 0; at < length; at += 1) {
    const code = Math.min(value.charCodeAt(at), 127);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / length) * Math.log2(count / length);
  return bits;
}

const hasDigit = /\d/;
const hasLetter = /[A-Za-z]/;

/** Letters mixed with digits, or with punctuation that words don't contain. */
export function mixed(value: string): boolean {
  if (!hasLetter.test(value)) return false;
  if (hasDigit.test(value)) return true;
  return /[!@#$%^&*+=?~]/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value.slice(1)) && !CAMEL.test(value));
}

const CAMEL = /^[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)+$/;

/** Long and without the regularity of words: machine-made. */
export function random(value: string, least = 16): boolean {
  if (value.length < least || !hasDigit.test(value) || /\s/.test(value)) return false;
  if (/^[0-9a-f]+$/i.test(value))
    return value.length >= Math.max(least, 20) && entropy(value) > 2.8 && hasLetter.test(value);
  return hasLetter.test(value) && entropy(value) >= Math.min(3.2, Math.log2(value.length) - 0.9) && !wordy(value);
}

/** Words joined by punctuation, with at most one number: `my-app-v2-config`. */
function wordy(value: string): boolean {
  const parts = value.split(/[-_./:]/);
  if (parts.length < 2) return false;
  const words = parts.filter((part) => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|v?\d{1,4}|)$/.test(part)).length;
  return words >= parts.length - (parts.length > 4 ? 1 : 0);
}

const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
const VERSION = /^[v^~<>=]*\d+(?:\.\d+)+(?:[-+][\w.+-]*)?$/i;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]|$)|^\d{1,2}:\d\d(?::\d\d)?$/;
const DIGEST = /^(?:sha\d{1,3}|md5|blake\w*)[:-]/i;
const PATH = pattern(String.raw`
    ^(?:~|\.{1,2})?/[\w.@~+-]*(?:/[\w.@~+\x20-]*)*$|^[A-Za-z]:\\|^[\w./-]+\.(?:txt|pem|key|json|ya?ml|toml|env
    |cfg|conf|ini|sh|py|js|ts|tsx|jsx|go|rs|rb|md|html|css|php|java|pub|crt|cer|gpg|asc|p12|pfx|jks|log|lock|xml
    |properties)$
  `);
const HOST = /^(?=.{1,120}$)[a-z][a-z0-9-]{0,62}(?:\.[a-z][a-z0-9-]{0,62})+(?::\d+)?(?:\/[a-z0-9/_.-]*)?$/;
const ADDRESS = /^(?:https?|wss?|ftp|ssh|git|s3|gs|file|tcp|unix):\/\//i;
const MAIL = /^[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60})+$/;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** A secret key of AWS contains slashes, like a path. */
const AWS_SECRET = /^[A-Za-z0-9/+]{40}$/;

/** A well-known harmless value: a version, a date, a checksum, a path, a host, a mail address. */
export function isOrdinary(value: string): boolean {
  const head = value.slice(0, 200);
  // The format of kubeadm's bootstrap tokens, which are secret.
  if (/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(value) && hasDigit.test(value)) return false;
  return (
    VERSION.test(head) ||
    DATE.test(head) ||
    DIGEST.test(head) ||
    (PATH.test(head) && !(AWS_SECRET.test(value) && hasDigit.test(value))) ||
    HOST.test(head) ||
    ADDRESS.test(head) ||
    MAIL.test(head)
  );
}

/** A piece of source code: a call, a member, an index, a type. */
export function isCode(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+[([]?|^[A-Za-z_$][\w$.:]*[([]|^[({[]|=>|^[&*!]/.test(
    value,
  );
}

/**
 * A secret in a text: UTF-16 offsets, end exclusive, and its kind. `rank`: the certainty of its finder; higher wins.
 */
export type Finding = { readonly start: number; readonly end: number; readonly kind: string; readonly rank: number };

/** The finders, from weakest to strongest. */
export const RANK = { context: 1, url: 2, token: 3, block: 4, known: 5 } as const;

/**
 * Returns findings in order, without overlap: the more certain one wins, and a whole value from its context beats a
 * part of it.
 */
export function settle(findings: readonly Finding[], text: string): readonly Finding[] {
  if (findings.length < 2) return findings;
  const sorted = [...findings].sort((a, b) => a.start - b.start || b.end - a.end || b.rank - a.rank);
  const kept: Finding[] = [];
  for (const next of sorted) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else kept[kept.length - 1] = merged(last, next, text);
  }
  return kept;
}

/** `first` begins at or before `second`. */
function merged(first: Finding, second: Finding, text: string): Finding {
  const surer = second.rank > first.rank ? second : first;
  const same = first.start === second.start && first.end === second.end;
  if (same) return surer;
  if (second.end <= first.end) {
    // A piece inside a longer value: keep the whole value, unless that is a sentence or an address.
    if (second.rank === RANK.token && first.start === second.start && /[%/&;,|]/.test(text.charAt(second.end)))
      return second;
    const around = text.slice(first.start, first.end);
    return second.rank > first.rank && /[\s]|:\/\//.test(around) ? second : { ...first, kind: surer.kind };
  }
  return { start: first.start, end: second.end, kind: surer.kind, rank: Math.max(first.rank, second.rank) };
}
