/** What resolves handles: in memory only, gone with the process (SE-3). */
import { createHmac, randomBytes } from 'node:crypto';
import type { SeenIn } from '../contracts/secrets.ts';
import { handleOf } from './handle.ts';

export type Entry = {
  readonly handle: string;
  readonly kind: string;
  readonly value: string;
  /** Where it was seen first, in a few words. */
  readonly where: string;
  readonly seenIn: SeenIn;
};

/** Entries kept; what comes after is hidden too, under a handle that nothing resolves. */
const MAX_ENTRIES = 10_000;

export class Vault {
  /** New in each process: a handle of an earlier one means nothing here, and can't be computed from a guess. */
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
