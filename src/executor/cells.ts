import type { IBuffer, IBufferCell, IBufferLine, Terminal } from '@xterm/headless';
import { clean } from '../text/sanitize.ts';

/** The SGR parameters for the bits of `flagsOf`, lowest bit first, in the order of the standard. */
const FLAG_CODES = ['1', '2', '3', '4', '5', '7', '8', '9', '53'];

function flagsOf(cell: IBufferCell): number {
  return (
    (cell.isBold() && 1) |
    (cell.isDim() && 2) |
    (cell.isItalic() && 4) |
    (cell.isUnderline() && 8) |
    (cell.isBlink() && 16) |
    (cell.isInverse() && 32) |
    (cell.isInvisible() && 64) |
    (cell.isStrikethrough() && 128) |
    (cell.isOverline() && 256)
  );
}

function color(cell: IBufferCell, foreground: boolean): string {
  const value = foreground ? cell.getFgColor() : cell.getBgColor();
  const base = foreground ? 30 : 40;
  if (foreground ? cell.isFgPalette() : cell.isBgPalette()) {
    if (value < 8) return `;${base + value}`;
    if (value < 16) return `;${base + 60 + value - 8}`;
    return `;${base + 8};5;${value}`;
  }
  if (foreground ? cell.isFgRGB() : cell.isBgRGB()) {
    return `;${base + 8};2;${(value >> 16) & 0xff};${(value >> 8) & 0xff};${value & 0xff}`;
  }
  return '';
}

/** Caches the last style: neighbouring cells mostly share one, and building its text is the most expensive part. */
class Styles {
  #flags = 0;
  #foreground = 0;
  #background = 0;
  #text = '';

  /** Returns the complete style of a cell as one SGR sequence that starts from a reset; '' for an unstyled cell. */
  of(cell: IBufferCell): string {
    if (cell.isAttributeDefault()) return '';
    const flags = flagsOf(cell);
    const foreground = cell.isFgDefault() ? 0 : cell.getFgColorMode() | cell.getFgColor();
    const background = cell.isBgDefault() ? 0 : cell.getBgColorMode() | cell.getBgColor();
    if (flags !== this.#flags || foreground !== this.#foreground || background !== this.#background) {
      this.#flags = flags;
      this.#foreground = foreground;
      this.#background = background;
      const codes = FLAG_CODES.filter((_code, bit) => flags & (1 << bit)).map((code) => `;${code}`);
      const parameters = `${codes.join('')}${color(cell, true)}${color(cell, false)}`;
      this.#text = parameters === '' ? '' : `\x1b[0${parameters}m`;
    }
    return this.#text;
  }
}

/** Returns the used length of a line, without trailing empty cells. */
function filled(line: IBufferLine, scratch: IBufferCell): number {
  for (let x = line.length - 1; x >= 0; x -= 1) {
    const cell = line.getCell(x, scratch);
    if (!cell) continue;
    const chars = cell.getChars();
    if (chars !== '' && chars !== ' ') return x + cell.getWidth();
    if (cell.isAttributeDefault()) continue;
    if (cell.getBgColorMode() !== 0 || cell.isInverse() || cell.isUnderline()) return x + cell.getWidth();
  }
  return 0;
}

/** The maximum length of all link targets in one screen line: a link in every cell must not produce megabytes. */
const MAX_LINK_CHARS = 8192;

/** The tools to read cells: a scratch cell, the style cache, and the link lookup. */
export type CellReader = { readonly scratch: IBufferCell; readonly styles: Styles; readonly linkOf: LinkOf };

export function cellReader(terminal: Terminal): CellReader {
  return { scratch: terminal.buffer.normal.getNullCell(), styles: new Styles(), linkOf: linkReader(terminal) };
}

/** Returns one screen line as text with SGR colours and safe hyperlinks only; both are closed at its end. */
function renderRow(line: IBufferLine, whole: boolean, { scratch, styles, linkOf }: CellReader): string {
  const end = whole ? line.length : filled(line, scratch);
  let text = '';
  let current = '';
  let link = '';
  let room = MAX_LINK_CHARS;
  for (let x = 0; x < end; x += 1) {
    const cell = line.getCell(x, scratch);
    if (!cell || cell.getWidth() === 0) continue;
    const target = cell.isAttributeDefault() ? '' : linkOf(cell);
    if (target !== link && (target === '' || target.length <= room)) {
      text += openLink(target);
      link = target;
      room -= target.length;
    }
    const next = styles.of(cell);
    if (next !== current) {
      text += next === '' ? '\x1b[0m' : next;
      current = next;
    }
    text += cell.getChars() || ' ';
  }
  return `${text}${current === '' ? '' : '\x1b[0m'}${link === '' ? '' : openLink('')}`;
}

/** Returns screen line `y` of a buffer as clean text with SGR colours and hyperlinks. */
export function renderLine(buffer: IBuffer, y: number, reader: CellReader): string {
  const line = buffer.getLine(y);
  return line ? clean(renderRow(line, false, reader)) : '';
}

/** Returns the logical line that starts at `y`, with wrapped rows joined, and the row after it. */
export function renderLogicalLine(buffer: IBuffer, y: number, end: number, reader: CellReader): [string, number] {
  let text = '';
  let at = y;
  for (; at < end; at += 1) {
    const line = buffer.getLine(at);
    if (!line || (at > y && !line.isWrapped)) break;
    const wrapped = at + 1 < end && buffer.getLine(at + 1)?.isWrapped === true;
    text += renderRow(line, wrapped, reader);
  }
  return [clean(text), Math.max(at, y + 1)];
}

/** Returns the target of a cell's hyperlink; '' without one, or if it is unsafe. */
type LinkOf = (cell: IBufferCell) => string;

/** The cache of link targets is cleared at this size. */
const MAX_KNOWN = 1000;

/**
 * Reads OSC 8 hyperlinks from a terminal. @xterm/headless 6 has no public API for them, so this uses its internals;
 * if those have changed, there are no links. Targets that `clean` rejects are dropped (EX-9).
 */
function linkReader(terminal: Terminal): LinkOf {
  const service = inside(inside(terminal, '_core'), '_oscLinkService');
  const known = new Map<number, string>();
  return (cell) => {
    if (!hasMore(cell)) return '';
    const id = inside(inside(cell, 'extended'), 'urlId');
    if (typeof id !== 'number' || id === 0) return '';
    let target = known.get(id);
    if (target === undefined) {
      if (known.size > MAX_KNOWN) known.clear();
      target = safe(inside(call(service, 'getLinkData', id), 'uri'));
      known.set(id, target);
    }
    return target;
  };
}

/** The scratch cell may still contain attributes of the previous cell. */
function hasMore(cell: IBufferCell): boolean {
  const more = call(cell, 'hasExtendedAttrs');
  return typeof more === 'number' && more !== 0;
}

function safe(target: unknown): string {
  if (typeof target !== 'string') return '';
  const open = openLink(target);
  return clean(`${open}x`).startsWith(open) ? target : '';
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function call(value: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = inside(value, name);
  return typeof method === 'function' ? Reflect.apply(method, value, args) : undefined;
}

/** Starts a hyperlink; '' ends one. */
function openLink(target: string): string {
  return `\x1b]8;;${target}\x1b\\`;
}
