/**
 * What the terminal sends: tokens for the listeners, replies for the waits, raw bytes while a program has the terminal.
 */
import { applyReply, type Capabilities, unknownTerminal } from './capabilities.ts';
import type { Schedule } from './schedule.ts';
import type { Token } from './token.ts';
import { createTokenizer } from './tokenizer.ts';

/** How long input that is under way is swallowed before the terminal is handed on. */
const DRAIN_TIMEOUT_MS = 150;
/** The same where nothing answers. A read under way when stdin is paused may still take what was meant for a child. */
export const SETTLE_MS = 30;

/** An Enter that follows a key within this time was not pressed by a finger. */
const BURST_MS = 30;

/** `more`: others of the same read follow at once, so that whoever draws need not draw this one. */
export type TokenListener = (token: Token, more: boolean) => void;

export class TerminalInput {
  readonly #capabilities = unknownTerminal();
  readonly #listeners = new Set<TokenListener>();
  readonly #fences;
  readonly #tokenizer;
  readonly #now: () => number;
  #batch: Token[] | undefined;
  #lastInputAt = Number.NEGATIVE_INFINITY;
  #typedAhead = true;
  #draining = false;
  /** Takes the raw bytes while a program has the terminal. */
  sink: ((bytes: Uint8Array) => void) | undefined;

  /** @param query asks the terminal for its device attributes */
  constructor(query: () => void, schedule: Schedule, now: () => number) {
    this.#now = now;
    this.#fences = createFences(query, schedule);
    this.#tokenizer = createTokenizer((token) => {
      // Its first answers count for the keys that came in one piece with them; a later one may be part of a paste.
      if (token.type === 'reply' && !this.#capabilities.answers) applyReply(this.#capabilities, token);
      if (this.#batch) this.#batch.push(token);
      else this.#dispatch(token);
    }, schedule);
  }

  get capabilities(): Readonly<Capabilities> {
    return this.#capabilities;
  }

  receive(bytes: Uint8Array): void {
    if (this.#draining) return this.#tokenizer.push(bytes);
    if (this.sink) return this.sink(bytes);
    const tokens: Token[] = [];
    this.#batch = tokens;
    this.#tokenizer.push(bytes);
    this.#batch = undefined;
    const trusted = this.#capabilities.bracketedPaste || this.#typedAhead;
    this.#typedAhead = false;
    const guarded = trusted ? tokens : markBursts(tokens, this.#now() - this.#lastInputAt);
    guarded.forEach((token, at) => {
      this.#dispatch(token, at < guarded.length - 1);
    });
  }

  onToken(listener: TokenListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  fence(milliseconds: number): Promise<boolean> {
    return this.#fences.ask(milliseconds);
  }

  /** Swallows a pending read. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.fence(this.#capabilities.answers ? DRAIN_TIMEOUT_MS : SETTLE_MS);
    this.#draining = false;
    this.#tokenizer.reset();
  }

  /** Forgets a partly read sequence. */
  reset(): void {
    this.#tokenizer.reset();
  }

  /** Ends every wait. */
  close(): void {
    this.sink = undefined;
    this.#fences.cancel();
    this.#tokenizer.reset();
  }

  #dispatch(token: Token, more = false): void {
    if (token.type === 'reply') {
      applyReply(this.#capabilities, token);
      if (token.reply === 'da1') this.#fences.answered();
    } else if (token.type !== 'focus') this.#lastInputAt = this.#now();
    if (this.#draining) return;
    // A copy: a listener added by a listener must not get the same key.
    for (const listener of Array.from(this.#listeners)) listener(token, more);
  }
}

/**
 * Guards against pastes that come without brackets: their line ends must not submit line after line (IN-4). Marks the
 * Enters of one chunk that stand in the middle of text. An Enter at the end of a chunk stays one: `ls⏎` that
 * arrives at once is a command, typed ahead or sent by a program.
 * `sinceLastKey` is the time in milliseconds between the last key of the chunk before and this chunk.
 */
function markBursts(tokens: readonly Token[], sinceLastKey: number): readonly Token[] {
  const lastText = tokens.findLastIndex(types);
  const firstText = sinceLastKey < BURST_MS ? -1 : tokens.findIndex(types);
  return tokens.map((token, index) => {
    const enter = token.type === 'key' && token.name === 'enter' && !token.ctrl && !token.alt && !token.shift;
    return enter && index > firstText && index < lastText ? { ...token, burst: true } : token;
  });
}

function types(token: Token): boolean {
  return token.type === 'key' && token.text !== undefined;
}

// Waits that end when the terminal has worked off everything written before them.

type Fences = {
  /** Asks; true when the terminal answered, false when the time was over first. */
  ask(milliseconds: number): Promise<boolean>;
  /** To be called for every DA1 reply. */
  answered(): void;
  /** Ends every wait with false. */
  cancel(): void;
};

/**
 * `query` writes a DA1 query. Answers come in the order of the questions, so a late answer to a question that was
 * given up is never taken for the answer to a newer one.
 */
export function createFences(query: () => void, schedule: Schedule): Fences {
  let waiting: { settle: (value: boolean) => void }[] = [];
  return {
    ask(milliseconds) {
      return new Promise((resolve) => {
        const cancel = schedule(() => resolve(false), milliseconds);
        waiting.push({
          settle(value) {
            cancel();
            resolve(value);
          },
        });
        query();
      });
    },
    answered() {
      waiting.shift()?.settle(true);
    },
    cancel() {
      const all = waiting;
      waiting = [];
      for (const fence of all) fence.settle(false);
    },
  };
}
