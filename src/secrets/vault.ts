/** Handles that stand in for secrets, and the vault that resolves them (SE-3). */
import { createHmac, randomBytes } from 'node:crypto';
import type { SeenIn } from '../contracts/secrets.ts';

export type Entry = {
  readonly handle: string;
  readonly kind: string;
  readonly value: string;
  /** Where it was first seen, in a few words. */
  readonly where: string;
  readonly seenIn: SeenIn;
};

/** How many entries are kept; later secrets are hidden too, behind a handle that can't be resolved. */
const MAX_ENTRIES = 10_000;

/** Resolves handles; in memory only, gone with the process. */
export class Vault {
  /** Fresh in each process: an earlier process's handle means nothing here, and none can be computed from a guessed value. */
  readonly #key = randomBytes(32);
  readonly #byValue = new Map<string, Entry>();
  readonly #byHandle = new Map<string, Entry>();

  /** The handle of a value: the same for the same value. */
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

/** Brackets without meaning in shells and JSON, the kind of secret, and a few digits to tell two apart. */
const HANDLE = /⟦[A-Z][A-Z0-9_]{1,40}_[0-9a-f]{6,12}⟧/g;

function handleOf(kind: string, digits: string): string {
  return `⟦${kind}_${digits}⟧`;
}

/** A cheap first test, since most texts have none. */
function mayHoldHandle(text: string): boolean {
  return text.includes('⟦');
}

/** The handles in a text with their offsets, in order. */
export function handlesIn(text: string): readonly { readonly handle: string; readonly at: number }[] {
  if (!mayHoldHandle(text)) return [];
  return [...text.matchAll(HANDLE)].map((match) => ({ handle: match[0], at: match.index }));
}

/** Puts `value(handle)` in place of each handle; one without a value stays. */
export function replaceHandles(text: string, value: (handle: string) => string | undefined): string {
  return mayHoldHandle(text) ? text.replace(HANDLE, (handle) => value(handle) ?? handle) : text;
}
