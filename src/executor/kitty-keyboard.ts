import type { IBufferNamespace, IParser } from '@xterm/headless';

/** Disambiguate escape codes: the one enhancement that is offered, since it needs nothing of the keys but their names. */
const OFFERED = 1;
/** Of what one program may push; the oldest goes. */
const MAX_PUSHED = 16;

/**
 * What a program asks for by the kitty keyboard protocol, where the user's terminal speaks it; else its questions stay
 * unanswered, as in every terminal that does not. The main and the alternate screen have a stack each.
 * Source: kitty's documentation, “Comprehensive keyboard handling in terminals”.
 */
export class KittyKeyboard {
  readonly #buffers: IBufferNamespace;
  readonly #stacks = { normal: [0], alternate: [0] };

  constructor(
    { buffer, parser }: { readonly buffer: IBufferNamespace; readonly parser: IParser },
    offered: () => boolean,
    reply: (data: string) => void,
  ) {
    this.#buffers = buffer;
    const on = (prefix: string, take: (first: number, second: number) => void) =>
      parser.registerCsiHandler({ prefix, final: 'u' }, ([first, second]) => {
        if (offered()) take(Number(first ?? 0), Number(second ?? 0));
        return true;
      });
    on('?', () => reply(`\x1b[?${this.flags}u`));
    on('>', (flags) => {
      this.#stack.push(flags & OFFERED);
      if (this.#stack.length > MAX_PUSHED) this.#stack.shift();
    });
    on('<', (count) => {
      this.#stack.splice(-Math.max(1, count));
      if (this.#stack.length === 0) this.#stack.push(0);
    });
    // 1 (also where nothing is said) sets all of them, 2 adds, 3 takes away.
    on('=', (flags, how) => {
      const changed = how === 2 ? this.flags | flags : how === 3 ? this.flags & ~flags : flags;
      this.#stack[this.#stack.length - 1] = changed & OFFERED;
    });
  }

  /** What is in force on the screen that is shown: 0 or 1. */
  get flags(): number {
    return this.#stack.at(-1) ?? 0;
  }

  get #stack(): number[] {
    return this.#stacks[this.#buffers.active.type];
  }
}
