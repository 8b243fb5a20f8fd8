import { visible } from '../text/sanitize.ts';
import { foregroundReader, type TerminalModes, terminalModes } from './terminal-state.ts';

/** What a program wants of the keyboard. */
export type InputState = {
  /** It waits for input. */
  readonly asks: boolean;
  /** What is typed is not shown: a password. */
  readonly echoOff: boolean;
  /** It is a shell of its own. */
  readonly isShell: boolean;
  /** The program's name, as far as it can be known; harmless text. */
  readonly name?: string;
};

const NOTHING: InputState = { asks: false, echoOff: false, isShell: false };

/**
 * Milliseconds of silence before each look: soon after a question, then again for a program that prompts with no text or
 * only after a while. The last one repeats.
 */
const POLL_DELAYS_MS = [40, 250, 1000, 2000] as const;

export type InputDetectorOptions = {
  readonly leader: () => number;
  /** Path of the terminal's slave side. */
  readonly slave: () => string;
  /** The text left of the cursor. */
  readonly promptText: () => string;
  /** A full-screen program: it has the terminal anyway. */
  readonly fullScreen: () => boolean;
  /** There is no terminal to ask in. */
  readonly pipe: boolean;
  /** The terminal is elsewhere: who reads it is not to be seen, and only this tells its modes. */
  readonly modes?: () => Promise<TerminalModes>;
  readonly onChange: () => void;
};

/** Watches whether a running command waits for its user. Only when it is quiet can anyone be waiting for an answer. */
export class InputDetector {
  readonly #options: InputDetectorOptions;
  #timer: NodeJS.Timeout | undefined;
  #look = 0;
  #stirs = 0;
  #ended = false;
  state: InputState = NOTHING;

  constructor(options: InputDetectorOptions) {
    this.#options = options;
  }

  /** Output came, or keys went: everything is open again. */
  activity(): void {
    if (this.#ended || this.#options.pipe) return;
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
    this.state = NOTHING;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const delay = POLL_DELAYS_MS[Math.min(this.#look, POLL_DELAYS_MS.length - 1)];
    this.#timer = setTimeout(() => void this.#lookNow(), delay);
    this.#timer.unref();
  }

  async #lookNow(): Promise<void> {
    const stirs = this.#stirs;
    const before = this.state;
    const next = await this.#find(this.#look);
    // Something stirred meanwhile: its own look is to come.
    if (this.#ended || this.#stirs !== stirs) return;
    this.#look += 1;
    this.#wait();
    if (
      next.asks === before.asks &&
      next.echoOff === before.echoOff &&
      next.name === before.name &&
      next.isShell === before.isShell
    )
      return;
    this.state = next;
    this.#options.onChange();
  }

  async #find(look: number): Promise<InputState> {
    const { leader, slave, promptText, fullScreen } = this.#options;
    if (fullScreen()) return NOTHING;
    const { modes } = this.#options;
    if (modes) return farState(await modes(), promptText() !== '' && look > 0);
    const holder = foregroundReader(leader(), slave());
    const prompted = promptText() !== '';
    // Asking the terminal costs a process: without a sign of a question it is asked twice, not at once and not for ever.
    const worthIt = prompted || holder.reads || this.state.asks || look === 1 || look === 2;
    if (!worthIt) return NOTHING;
    const { echo, lines } = await terminalModes(slave());
    const echoOff = !echo && lines;
    // A program that reads single keys waits with poll(2): its question is taken for one once it stays.
    const asks = echoOff || holder.reads || (!lines && prompted && look > 0);
    const isShell = asks && !echoOff && holder.isShell;
    return { asks, echoOff, isShell, ...(asks && holder.name !== undefined ? { name: visible(holder.name) } : {}) };
  }
}

/** @param prompted it has stood at a text for a while */
function farState({ echo, lines }: TerminalModes, prompted: boolean): InputState {
  const echoOff = !echo && lines;
  return { asks: echoOff || prompted, echoOff, isShell: false };
}
