/** Drives a program in a real pty and reads its screen as a terminal would show it. */
import graphemes from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';
import { type Pty, spawn } from 'node-pty';
import { PROGRAM, type Scratch } from './program.ts';

const PATIENCE = 15_000;

/** Bytes of keys by name; anything else is typed as it stands. */
const KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\x1b',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  home: '\x1b[H',
  end: '\x1b[F',
  f1: '\x1bOP',
};

export type RigOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Another program than ours. */
  readonly file?: string;
};

export type Exit = { readonly code: number; readonly signal: number | undefined };

export class Rig {
  readonly pty: Pty;
  readonly exited: Promise<Exit>;
  /** Everything the program wrote, as bytes in order. */
  raw = '';
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #looks = new Set<() => void>();
  #exit: Exit | undefined;

  constructor(place: Scratch, options: RigOptions) {
    const { columns = 80, rows = 24 } = options;
    this.#terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 2000 });
    this.#terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
    this.#terminal.unicode.activeVersion = '15-graphemes';
    this.pty = spawn(options.file ?? PROGRAM, [...(options.args ?? [])], {
      name: 'xterm-256color',
      encoding: null,
      cols: columns,
      rows,
      cwd: place.work,
      env: { ...place.env, ...options.env },
    });
    // Queries are answered as xterm would.
    this.#terminal.onData((data) => this.pty.write(data));
    this.pty.onData((data) => {
      this.raw += data.toString('latin1');
      this.#terminal.write(data, () => this.#look());
    });
    this.exited = new Promise((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => {
        this.#exit = { code: exitCode, signal: signal || undefined };
        resolve(this.#exit);
        this.#look();
      });
    });
  }

  /** The rows on screen, without trailing blanks. */
  screen(): readonly string[] {
    const buffer = this.#terminal.buffer.active;
    return Array.from(
      { length: this.#terminal.rows },
      (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '',
    );
  }

  text(): string {
    return this.screen().join('\n');
  }

  /** True while the alternate screen is shown. */
  get alternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Whether a cell that shows `text` has a foreground colour of its own. */
  coloured(text: string): boolean {
    const buffer = this.#terminal.buffer.active;
    return this.screen().some((line, row) => {
      const column = line.indexOf(text);
      return (
        column >= 0 &&
        !buffer
          .getLine(buffer.baseY + row)
          ?.getCell(column)
          ?.isFgDefault()
      );
    });
  }

  type(text: string): void {
    this.pty.write(text);
  }

  /** A named key, `ctrl-x`, `alt-s`, or several after one another. */
  key(...names: readonly string[]): void {
    for (const name of names) {
      const chord = /^(ctrl|alt)-(.)$/.exec(name);
      if (chord?.[1] === 'ctrl') this.type(String.fromCharCode((chord[2] ?? '').charCodeAt(0) & 31));
      else if (chord?.[1] === 'alt') this.type(`\x1b${chord[2]}`);
      else this.type(KEYS[name] ?? name);
    }
  }

  /** Resolves once the screen holds `wanted`; after too long throws with the screen. */
  async waitFor(wanted: string | RegExp | ((rig: Rig) => boolean), patience = PATIENCE): Promise<void> {
    const holds = () => {
      if (typeof wanted === 'function') return wanted(this);
      return typeof wanted === 'string' ? this.text().includes(wanted) : wanted.test(this.text());
    };
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.#looks.delete(look);
      };
      const look = () => {
        if (holds()) {
          stop();
          resolve();
        } else if (this.#exit) {
          stop();
          reject(new Error(`the program ended (${JSON.stringify(this.#exit)}) before ${wanted}\n${this.text()}`));
        }
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`not seen within ${patience} ms: ${wanted}\n${'-'.repeat(40)}\n${this.text()}`));
      }, patience);
      this.#looks.add(look);
      look();
    });
  }

  waitForGone(unwanted: string | RegExp): Promise<void> {
    const there = () => (typeof unwanted === 'string' ? this.text().includes(unwanted) : unwanted.test(this.text()));
    return this.waitFor(() => !there());
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.pty.resize(columns, rows);
  }

  /** Closes the terminal under the program, as closing its window does. */
  hangUp(): void {
    this.pty.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pty.pid, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#exit) {
      this.kill('SIGKILL');
      await this.exited;
    }
    this.#terminal.dispose();
  }

  #look(): void {
    for (const look of this.#looks) look();
  }
}

/** Starts the built program in a terminal of its own; dispose it with `await using`. */
export function startRig(place: Scratch, options: RigOptions = {}): Rig {
  return new Rig(place, options);
}
