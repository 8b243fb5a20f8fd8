/** Finds short literal anchors in one pass: the prefilter that makes text without secrets cheap. */

/** Three characters of five bits each; the five bits fold upper and lower case by themselves. */
const SLOTS = 1 << 15;

export type Hit<T> = (at: number, found: T) => void;

type Anchor<T> = { readonly text: string; readonly exact: boolean; readonly value: T };

export class Scanner<T> {
  readonly #flags = new Uint8Array(SLOTS);
  readonly #slots = new Map<number, Anchor<T>[]>();

  /** @param text at least three characters; with `exact` false in lower case, and any case is found */
  add(text: string, value: T, exact: boolean): void {
    const slot = slotOf(text);
    this.#flags[slot] = 1;
    const anchors = this.#slots.get(slot);
    const anchor = { text, exact, value };
    if (anchors) anchors.push(anchor);
    else this.#slots.set(slot, [anchor]);
  }

  /**
   * Calls `hit` for every anchor that begins at a place, from left to right. Linear in the text. `from`, `to`: only those
   * whose third character stands there, so that pieces side by side give what the whole does.
   */
  scan(text: string, hit: Hit<T>, from = 0, to = text.length): void {
    const flags = this.#flags;
    const first = Math.max(2, from);
    let hash = 0;
    for (let at = Math.max(0, from - 2); at < to; at += 1) {
      hash = ((hash << 5) | (text.charCodeAt(at) & 31)) & (SLOTS - 1);
      if (flags[hash] === 0 || at < first) continue;
      for (const anchor of this.#slots.get(hash) ?? []) {
        if (begins(text, at - 2, anchor)) hit(at - 2, anchor.value);
      }
    }
  }
}

function slotOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < 3; at += 1) hash = (hash << 5) | (text.charCodeAt(at) & 31);
  return hash;
}

function begins<T>(text: string, at: number, { text: wanted, exact }: Anchor<T>): boolean {
  if (exact) return text.startsWith(wanted, at);
  for (let index = 0; index < wanted.length; index += 1) {
    const code = text.charCodeAt(at + index);
    const folded = code >= 65 && code <= 90 ? code | 0x20 : code;
    if (folded !== wanted.charCodeAt(index)) return false;
  }
  return true;
}
