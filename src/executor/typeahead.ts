import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { plainText } from '../text/sanitize.ts';
import { terminalModes } from './terminal-state.ts';

/** How many typed keys to keep: a terminal keeps 4096 unread ones. */
const MAX_KEPT_CHARS = 8192;
/** How often to check, while keys arrive, whether echo is on. In ms. */
const POLL_INTERVAL_MS = 200;

/**
 * Reads all pending input without waiting and restores the terminal's modes. Turning off the kernel's line editing
 * makes complete lines and the incomplete one readable together; nothing is discarded (termios(3), TCSADRAIN).
 */
const READ = 'modes=$(stty -g) || exit; stty -icanon -echo min 0 time 0 && cat; stty "$modes"';

/**
 * Takes the unread input out of the terminal at `slave`. Empty if echo is off (that input is discarded before the
 * next line), or if the terminal can't be opened.
 */
export async function drainInput(slave: string): Promise<string> {
  if (!(await terminalModes(slave)).echo) return '';
  let terminal: number;
  try {
    terminal = openSync(slave, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const reader = spawn('/bin/sh', ['-c', READ], {
      stdio: [terminal, 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    });
    closeSync(terminal);
    reader.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    reader.once('error', () => resolve(''));
    reader.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/**
 * Remembers what the user typed for a command, to return it if the command did not read it. It returns only text
 * typed while the terminal surely showed it: no passwords, and no keys for a program that draws its input itself.
 */
export class Typeahead {
  readonly #slave: () => string;
  readonly #takeInput: () => Promise<string>;
  /** Keys since echo was last off. */
  #keys = '';
  /** Keys typed after the command's end, before aish-tui knew of it. */
  #late = '';
  #ended = false;
  #hidden = false;
  #looking = false;

  readonly #edited: () => boolean;

  /**
   * @param slave the path of the terminal's slave side
   * @param takeInput takes unread input once the shell is idle
   * @param edited the keys came from a line editor, which has read what no program did
   */
  constructor(slave: () => string, takeInput: () => Promise<string>, edited: () => boolean) {
    this.#slave = slave;
    this.#takeInput = takeInput;
    this.#edited = edited;
  }

  /** Adds keys; `hidden` if echo is known to be off. */
  add(keys: string, hidden: boolean): void {
    if (this.#ended) {
      if (!this.#hidden) this.#late = (this.#late + keys).slice(-MAX_KEPT_CHARS);
      return;
    }
    this.#keys = hidden ? '' : (this.#keys + keys).slice(-MAX_KEPT_CHARS);
    if (!hidden && !this.#looking) void this.#look();
  }

  /** The command has ended; `hidden` if the last input was not shown. */
  end(hidden: boolean): void {
    this.#ended = true;
    this.#hidden = hidden;
    if (hidden) this.#keys = '';
  }

  /** Returns the unread input, once, after the end: each complete line ends in a newline. '' for none. */
  async unread(): Promise<string> {
    const edited = this.#edited();
    const input = this.#keys === '' && !edited ? '' : asTyped(await this.#takeInput());
    const shown = edited || asTyped(this.#keys).endsWith(input) ? input : '';
    const lines = asTyped(shown + this.#late);
    this.#keys = '';
    this.#late = '';
    return lines.trim() === '' ? '' : lines;
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const { echo } = await terminalModes(this.#slave());
    if (!echo) this.#keys = '';
    const seen = this.#keys;
    const timer = setTimeout(() => {
      this.#looking = false;
      if (!this.#ended && this.#keys !== seen) void this.#look();
    }, POLL_INTERVAL_MS);
    timer.unref();
  }
}

/**
 * Returns keys as the kernel's line editing would leave them: without sequences, erased characters, and text
 * discarded by Ctrl-C.
 */
function asTyped(keys: string): string {
  const kept: string[] = [];
  for (const key of keys.replace(/\r\n?/g, '\n')) {
    if (key === '\x03' || key === '\x1c' || key === '\x1a') kept.length = 0;
    else if (key === '\x15') kept.length = kept.lastIndexOf('\n') + 1;
    else if (key !== '\x7f' && key !== '\b') kept.push(key);
    else if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
  }
  return plainText(kept.join(''));
}
