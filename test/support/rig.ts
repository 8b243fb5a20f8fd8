/** Runs a program in a real pty and reads its screen as a terminal would show it. */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import headless from '@xterm/headless';
import { type Pty, spawn } from 'node-pty';
import { UnicodeGraphemesAddon } from '../../src/executor/graphemes.ts';
import { ensureBuilt } from './build.ts';
import { type Run, runsOf } from './cells.ts';
import { MARK, noneLeft } from './leftovers.ts';
import { PROGRAM, type Scratch } from './program.ts';
import { keyBytes, type MouseAction, mouseBytes } from './rig-keys.ts';

const PATIENCE = 15_000;
const LOOK_EVERY_MS = 50;

export type RigOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program other than aish-tui. */
  readonly file?: string;
  /** The user of the process; the caller by default. */
  readonly user?: { readonly uid: number; readonly gid: number };
};

export type Exit = { readonly code: number; readonly signal: number | undefined };

export class Rig {
  readonly pty: Pty;
  readonly exited: Promise<Exit>;
  /** All output of the program: one character for each byte. */
  raw = '';
  /** When the last displayed output arrived, by `performance.now()`. */
  shownSince = 0;
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #looks = new Set<() => void>();
  /** Resolves when all output so far is on the screen. */
  #shown: Promise<void> = Promise.resolve();
  readonly #mark = randomUUID();
  /** The scratch place that is removed with the rig. */
  readonly #own: Scratch | undefined;
  #exit: Exit | undefined;

  constructor(place: Scratch, options: RigOptions, owns = false) {
    const { columns = 80, rows = 24 } = options;
    this.#own = owns ? place : undefined;
    this.#terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 2000 });
    this.#terminal.loadAddon(new UnicodeGraphemesAddon());
    this.#terminal.unicode.activeVersion = '15-graphemes';
    if (options.file === undefined) ensureBuilt();
    this.pty = spawn(options.file ?? PROGRAM, [...(options.args ?? [])], {
      name: options.env?.TERM ?? 'xterm-256color',
      encoding: null,
      cols: columns,
      rows,
      cwd: place.work,
      env: { ...place.env, ...options.env, [MARK]: this.#mark },
      ...options.user,
    });
    // Queries are answered as xterm would.
    this.#terminal.onData((data) => this.pty.write(data));
    this.pty.onData((data) => {
      const came = performance.now();
      this.raw += data.toString('latin1');
      this.#shown = this.#shown.then(() => this.#show(data, came));
    });
    this.exited = new Promise((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => {
        const exit = { code: exitCode, signal: signal || undefined };
        // The program’s last output may not have reached the screen yet.
        void this.#shown.then(() => {
          this.#exit = exit;
          resolve(exit);
          this.#look();
        });
      });
    });
  }

  /** Returns the rows on screen without trailing blanks; after a shrink a row keeps the text beyond the edge. */
  screen(): readonly string[] {
    const { cols, rows, buffer } = this.#terminal;
    const { active } = buffer;
    return Array.from(
      { length: rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true, 0, cols) ?? '',
    );
  }

  text(): string {
    return this.screen().join('\n');
  }

  /** Returns all rows without trailing blanks: the scrollback, then the screen. */
  history(): string {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '').join(
      '\n',
    );
  }

  /** True while the alternate screen is shown. */
  get alternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Returns each row on screen as runs of equally styled text. */
  runs(): readonly (readonly Run[])[] {
    const { cols, rows, buffer } = this.#terminal;
    const { active } = buffer;
    return Array.from({ length: rows }, (_, row) => runsOf(active.getLine(active.baseY + row), cols));
  }

  /** Returns whether `text` is somewhere on screen, within one run, in a foreground colour of its own. */
  coloured(text: string): boolean {
    return this.runs().some((row) => row.some((run) => run.text.includes(text) && run.style.foreground));
  }

  /** The position of the cursor, in cells from the top left corner. */
  get cursor(): { readonly column: number; readonly row: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { column: cursorX, row: cursorY };
  }

  type(text: string): void {
    this.pty.write(text);
  }

  /** Pastes a text as a terminal does: in brackets if the program asked for them. */
  paste(text: string): void {
    this.type(this.#terminal.modes.bracketedPasteMode ? `\x1b[200~${text}\x1b[201~` : text);
  }

  /** Presses keys by name, one after another: `enter`, `ctrl-x`, `alt-s`, `f1`, `p`. */
  key(...names: readonly string[]): void {
    for (const name of names) this.type(keyBytes(name));
  }

  /** Clicks or turns the wheel at a cell counted from 0. Throws if the program asked for no mouse. */
  mouse(action: MouseAction, column: number, row: number): void {
    if (this.#terminal.modes.mouseTrackingMode === 'none') throw new Error('the program has the mouse switched off');
    this.type(mouseBytes(action, column, row));
  }

  /** Resolves once the screen contains `wanted`; throws with the screen after `patience`. */
  async waitFor(wanted: string | RegExp | ((rig: Rig) => boolean), patience = PATIENCE): Promise<void> {
    const holds = () => {
      // An incomplete frame is not checked.
      if (this.#terminal.modes.synchronizedOutputMode) return false;
      if (typeof wanted === 'function') return wanted(this);
      return typeof wanted === 'string' ? this.text().includes(wanted) : wanted.test(this.text());
    };
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        clearInterval(ticking);
        this.#looks.delete(look);
      };
      const look = () => {
        if (holds()) {
          stop();
          resolve();
        } else if (this.#exit) {
          stop();
          reject(
            new Error(`the program ended (${JSON.stringify(this.#exit)}) before ${String(wanted)}\n${this.text()}`),
          );
        }
      };
      const timer = setTimeout(() => {
        stop();
        const half = this.#terminal.modes.synchronizedOutputMode ? ' (in the midst of a frame)' : '';
        reject(
          new Error(`not seen within ${patience} ms: ${String(wanted)}${half}\n${'-'.repeat(40)}\n${this.text()}`),
        );
      }, patience);
      // A condition may check more than the screen, for example a file.
      const ticking = typeof wanted === 'function' ? setInterval(look, LOOK_EVERY_MS) : undefined;
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

  /** Kills the program. Throws when any process that it started outlives it. */
  async [Symbol.asyncDispose](): Promise<void> {
    using _own = this.#own;
    if (!this.#exit) {
      this.pty.kill('SIGKILL');
      await this.exited;
    }
    this.#terminal.dispose();
    await noneLeft(this.#mark);
  }

  /** Shows one piece at a time, and waiters continue before the next: they see exactly the screen they waited for. */
  async #show(data: Buffer, came: number): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write(data, resolve));
    this.shownSince = came;
    this.#look();
    await nextTurn();
  }

  #look(): void {
    for (const look of this.#looks) look();
  }
}

/** Starts the built program in a terminal of its own; dispose it with `await using`. */
export function startRig(place: Scratch, options: RigOptions = {}): Rig {
  return new Rig(place, options);
}

/** Starts the only program of a place, which is removed with it; resolves once the screen shows `shown`. */
export async function openRig(place: Scratch, shown: string | RegExp, options: RigOptions = {}): Promise<Rig> {
  const rig = new Rig(place, options, true);
  try {
    await rig.waitFor(shown);
  } catch (error) {
    // Leftover processes matter less than the missing output.
    await rig[Symbol.asyncDispose]().catch(() => {});
    throw error;
  }
  return rig;
}
