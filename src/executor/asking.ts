import { visible } from '../text/sanitize.ts';
import { terminalModes } from './echo.ts';
import { holderOf } from './reader.ts';

/** What a program wants of the keyboard. */
export type Asking = {
  /** It waits for input. */
  readonly asks: boolean;
  /** What is typed is not shown: a password. */
  readonly echoOff: boolean;
  /** The program's name, as far as it can be known; harmless text. */
  readonly name?: string;
};

const NOTHING: Asking = { asks: false, echoOff: false };

/**
 * Silence after which it is looked, in ms: soon after a question, then again for a program that asks without a word, or
 * only after a while. The last one repeats.
 */
const LOOKS = [40, 250, 1000, 2000] as const;

export type AskingOptions = {
  readonly leader: () => number;
  /** Path of the terminal's slave side. */
  readonly slave: () => string;
  /** What stands left of the cursor. */
  readonly promptText: () => string;
  /** A full-screen program: it has the terminal anyway. */
  readonly fullScreen: () => boolean;
  readonly onChange: () => void;
};

/** Watches whether a running command waits for its user. Only when it is quiet can anyone be waiting for an answer. */
export class AskingWatch {
  readonly #options: AskingOptions;
  #timer: NodeJS.Timeout | undefined;
  #look = 0;
  #stirs = 0;
  #ended = false;
  now: Asking = NOTHING;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  /** Output came, or keys went: everything is open again. */
  stirred(): void {
    if (this.#ended) return;
    this.#stirs += 1;
    if (this.#timer && this.#look === 0) {
      this.#timer.refresh();
      return;
    }
    this.#look = 0;
    this.#wait();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.now = NOTHING;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const delay = LOOKS[Math.min(this.#look, LOOKS.length - 1)];
    this.#timer = setTimeout(() => void this.#lookNow(), delay);
    this.#timer.unref();
  }

  async #lookNow(): Promise<void> {
    const stirs = this.#stirs;
    const before = this.now;
    const next = await this.#find(this.#look);
    // Something stirred meanwhile: its own look is to come.
    if (this.#ended || this.#stirs !== stirs) return;
    this.#look += 1;
    this.#wait();
    if (next.asks === before.asks && next.echoOff === before.echoOff && next.name === before.name) return;
    this.now = next;
    this.#options.onChange();
  }

  async #find(look: number): Promise<Asking> {
    const { leader, slave, promptText, fullScreen } = this.#options;
    if (fullScreen()) return NOTHING;
    const holder = holderOf(leader(), slave());
    const prompted = promptText() !== '';
    // Asking the terminal costs a process: without a sign of a question it is asked twice, not at once and not for ever.
    const worthIt = prompted || holder.reads || this.now.asks || look === 1 || look === 2;
    if (!worthIt) return NOTHING;
    const { echo, lines } = await terminalModes(slave());
    const echoOff = !echo && lines;
    // A program that reads single keys waits with poll(2): its question is taken for one once it stays.
    const asks = echoOff || holder.reads || (!lines && prompted && look > 0);
    return { asks, echoOff, ...(asks && holder.name !== undefined ? { name: visible(holder.name) } : {}) };
  }
}
