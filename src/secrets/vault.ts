/** Handles that replace secrets, and the vault that resolves them (SE-3). */
import { createHmac, randomBytes } from 'node:crypto';
import type { SeenIn } from '../contracts/secrets.ts';
import { pattern } from '../text/pattern.ts';

export type Entry = {
  readonly handle: string;
  readonly kind: string;
  readonly value: string;
  /** The place where the value was first seen, in a few words. */
  readonly where: string;
  readonly seenIn: SeenIn;
};

/** How many entries are kept; later secrets are hidden too, by a handle that can't be resolved. */
const MAX_ENTRIES = 10_000;

/** Resolves handles; only in memory, lost with the process. */
export class Vault {
  /**
   * The key for handles, new in each process. So a handle of an earlier process is unknown, and nobody can compute a
   * handle from a guessed value.
   */
  readonly #key = randomBytes(32);
  readonly #byValue = new Map<string, Entry>();
  readonly #byHandle = new Map<string, Entry>();

  /** Returns the handle of a value: the same one for the same value. */
  handle(value: string, kind: string, where: string, seenIn: SeenIn = 'data'): string {
    const known = this.#byValue.get(value);
    if (known) return known.handle;
    const digits = createHmac('sha256', this.#key).update(value).digest('hex');
    let length = 6;
    while (length < 12 && this.#byHandle.has(handleOf(kind, digits.slice(0, length)))) length += 2;
    const handle = handleOf(kind, digits.slice(0, length));
    if (this.#byValue.size >= MAX_ENTRIES) return handle;
    const entry = { handle, kind, value, where, seenIn };
    this.#byValue.set(value, entry);
    this.#byHandle.set(handle, entry);
    return handle;
  }

  get isEmpty(): boolean {
    return this.#byHandle.size === 0;
  }

  value(handle: string): string | undefined {
    return this.#byHandle.get(handle)?.value;
  }

  seenIn(handle: string): SeenIn | undefined {
    return this.#byHandle.get(handle)?.seenIn;
  }

  entries(): readonly Entry[] {
    return [...this.#byHandle.values()];
  }
}

/** Brackets without a meaning in shells and JSON, the kind of secret, and digits to distinguish secrets. */
const HANDLE = /⟦[A-Z][A-Z0-9_]{1,40}_[0-9a-f]{6,12}⟧/g;

function handleOf(kind: string, digits: string): string {
  return `⟦${kind}_${digits}⟧`;
}

/** A quick first test, since most texts contain none. */
function mayHoldHandle(text: string): boolean {
  return text.includes('⟦');
}

/** Returns the handles in a text with their offsets, in order. */
export function handlesIn(text: string): readonly { readonly handle: string; readonly at: number }[] {
  if (!mayHoldHandle(text)) return [];
  return [...text.matchAll(HANDLE)].map((match) => ({ handle: match[0], at: match.index }));
}

/** Replaces each handle by `value(handle)`; one without a value stays. */
export function replaceHandles(text: string, value: (handle: string) => string | undefined): string {
  return mayHoldHandle(text) ? text.replace(HANDLE, (handle) => value(handle) ?? handle) : text;
}

/** Harmless text in the place of a secret: documentation, masks, references. */

const REFERENCE = pattern(
  String.raw`
    ^(?:\$[A-Za-z_({]|\$\d|%[A-Za-z_]+%|%\(|%[sdv]$|\{\{|\$?\{|#\{|<|\[|@@|!(?:Ref|Sub|vault|secret|env
    |GetAtt)\b|(?:op|vault|aws-sm|gcp-sm|keyring|keychain|secretsmanager|ssm|sops|ref\+\w+):|arn:aws
    |(?:process\.)?env[.[(]|(?:os\.)?(?:environ|getenv)\b|ENV[.[]|var\.|local\.|data\.|secrets?[./]|config[.[(]
    |file:|env:|data:image|@Microsoft\.KeyVault|projects/)
  `,
  'i',
);
const MASK = /^(.)\1{3,}$|^(?:[*•·●xX#.…_?-]{4,})$|\*{3}|•{3}|x{5}|X{4}|\.{3}|…|⟦|<[^<>]{1,60}>|\$\{[^{}]{0,80}\}|\{\{/;
const MARKED = pattern(
  String.raw`
    example|redacted|placeholder|changeme|change[_-]me|change-this|changeit|replace[_-]?(?:me|with|this)
    |insert[_-]|your[_-]|(?:^|[_-])yours?(?=[_-]|$)|_here$|-here$|dummy|notreal|not[_-]a[_-]real|masked|filtered
    |todo|fixme|^fake[_-]|scrubbed|\bhidden\b|sanitized|obfuscated
  `,
  'i',
);
/** Words that describe a secret and are not one. */
const WORDS = new Set(
  `a an the my our your some any this that new old is not no yes on off ok true false null none nil undefined void empty default
  required optional missing invalid valid wrong incorrect expired enabled disabled unset set get string str text number int integer
  bool boolean object array any unknown type value val var name user username admin guest anonymous nobody root login password passwd passphrase pass pwd pw
  secret secrets token tokens key keys apikey api auth access refresh bearer basic private public client server session id test tests
  testing demo sample foo bar baz qux foobar abc xyz here goes enter insert put use with from for of in to and or env variable
  config file path field input prompt hash salt hashed encrypted plain plaintext base hex github gitlab aws azure google openai slack
  stripe npm docker db database mysql postgres redis mongo app application service host port url uri prod production dev development
  staging local localhost super strong very long random generated manager store vault provider strategy manual auto automatic always never
  read write readonly inherit legacy simple word words changeme bcrypt argon scrypt sha md rsa json yaml xml credentials credential stdin
  ask interactive required self user2 me it function return async await const let static final`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** True for text that is only a placeholder for a secret. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 4000) return false;
  const head = value.length > 300 ? value.slice(0, 300) : value;
  return REFERENCE.test(head) || MASK.test(head) || MARKED.test(head) || onlyWords(head) || monotonous(head);
}

/** Whether it consists only of descriptive words; digits other than a trailing one make it a value. */
function onlyWords(value: string): boolean {
  if (value.length > 60 || /\d.{0,60}\d/.test(value)) return false;
  const words = value.replace(/\d$/, '').match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z0-9_\-. /:]+/g) ?? [];
  return words.every((word) => WORDS.has(word.toLowerCase()));
}

/** Whether the end of the text has hardly any distinct characters; names come first. */
function monotonous(value: string): boolean {
  if (value.length < 12) return false;
  const seen: number[] = [];
  for (let at = Math.max(0, value.length - 40); at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (seen.includes(code)) continue;
    seen.push(code);
    if (seen.length > 3) return false;
  }
  return true;
}
