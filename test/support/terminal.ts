/** A terminal in memory: what was written to it, and its cells. */
import { Writable } from 'node:stream';
import graphemes from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';

export type Width = 'old' | 'graphemes';

export class FakeTerminal extends Writable {
  columns: number;
  rows: number;
  /** All output, one string for each write. */
  readonly written: string[] = [];
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  #shown: Promise<void> = Promise.resolve();

  /** @param width how it counts the cells of emoji and clusters: terminals differ */
  constructor(columns: number, rows: number, width: Width = 'graphemes') {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
    this.#terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
    if (width === 'graphemes') {
      this.#terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
      this.#terminal.unicode.activeVersion = '15-graphemes';
    }
    this.#terminal.write('\x1b[?1049h');
  }

  override _write(data: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = data.toString();
    if (text !== '') this.written.push(text);
    this.#shown = this.#shown.then(() => new Promise((resolve) => this.#terminal.write(text, resolve)));
    done();
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.#shown = this.#shown.then(() => this.#terminal.resize(columns, rows));
  }

  /** Resolves when everything written is on the screen. */
  async settled(): Promise<void> {
    await this.#shown;
  }

  text(): string {
    return Array.from({ length: this.#terminal.rows }, (_, y) => this.#line(y)?.translateToString(true) ?? '').join(
      '\n',
    );
  }

  /** The position of the cursor; undefined while it is hidden. */
  get cursor(): { readonly x: number; readonly y: number } | undefined {
    const all = this.written.join('');
    if (all.lastIndexOf('\x1b[?25l') > all.lastIndexOf('\x1b[?25h')) return undefined;
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { x: cursorX, y: cursorY };
  }

  /** Returns each row as one string: the text, width and style of every cell. */
  cells(): readonly string[] {
    return Array.from({ length: this.#terminal.rows }, (_, y) => {
      const line = this.#line(y);
      return Array.from({ length: this.#terminal.cols }, (_, x) => {
        const cell = line?.getCell(x);
        if (!cell) return '';
        const flags = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), cell.isInverse()];
        const colours = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor()];
        return `${cell.getChars() || ' '} ${cell.getWidth()} ${flags.map(Number).join('')} ${colours.join(',')}`;
      }).join('|');
    });
  }

  #line(y: number) {
    const { active } = this.#terminal.buffer;
    return active.getLine(active.viewportY + y);
  }
}
