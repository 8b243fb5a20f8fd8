import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { plainText } from '../text/sanitize.ts';
import { terminalModes } from './terminal-state.ts';

/** How many typed keys are kept: a terminal keeps 4096 unread ones. */
const MAX_KEPT_CHARS = 8192;
/** How often it is looked, while keys come, whether they are shown. Ms. */
const POLL_INTERVAL_MS = 200;

/**
 * Reads all, without waiting, and leaves the terminal as it was. Turning the kernel's line editing off makes the lines
 * and what is not yet one readable together; nothing is thrown away by it (termios(3), TCSADRAIN).
 */
const READ = 'modes=$(stty -g) || exit; stty -icanon -echo min 0 time 0 && cat; stty "$modes"';

/**
 * Takes the input out of the terminal at `slave` that no program has read. Empty where typing is hidden (that is thrown
 * away before the next line) and where the terminal can't be opened.
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
 * What the user typed for a command, for what comes back when the command has not read it. Only what was surely typed
 * while the terminal showed it does: no password, nor what was meant for a program that draws its keys itself.
 */
export class Typeahead {
  readonly #slave: () => string;
  readonly #takeInput: () => Promise<string>;
  /** Typed since typing was last hidden. */
  #keys = '';
  /** Typed behind the end, before anybody knew of it. */
  #late = '';
  #ended = false;
  #hidden = false;
  #looking = false;

  readonly #edited: () => boolean;

  /**
   * @param slave path of the terminal's slave side
   * @param takeInput takes what nobody has read, once the shell is at rest
   * @param edited it comes from an editor, which has read what no program did
   */
  constructor(slave: () => string, takeInput: () => Promise<string>, edited: () => boolean) {
    this.#slave = slave;
    this.#takeInput = takeInput;
    this.#edited = edited;
  }

  /** Keys come; `hidden` where they are known not to be shown. */
  add(keys: string, hidden: boolean): void {
    if (this.#ended) {
      if (!this.#hidden) this.#late = (this.#late + keys).slice(-MAX_KEPT_CHARS);
      return;
    }
    this.#keys = hidden ? '' : (this.#keys + keys).slice(-MAX_KEPT_CHARS);
    if (!hidden && !this.#looking) void this.#look();
  }

  /** The command has ended; `hidden` where what was typed last was not shown. */
  end(hidden: boolean): void {
    this.#ended = true;
    this.#hidden = hidden;
    if (hidden) this.#keys = '';
  }

  /** What was not read, once, behind the end: each whole line ends in a newline. Empty for none. */
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
 * Keys as the kernel's line editing would leave them: without sequences, erased characters, and what Ctrl-C threw away.
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
