/** A terminal's row as runs of text of the same style. */
import type { IBufferCell, IBufferLine } from '@xterm/headless';

/** A colour as the program set it: of the palette (0–255), or 0xrrggbb. */
export type Colour = { readonly palette: number } | { readonly rgb: number };

export type Style = {
  readonly foreground?: Colour;
  readonly background?: Colour;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
};

/** `column` counts cells from 0; `width` is in cells, of which a wide character has two. */
export type Run = { readonly column: number; readonly width: number; readonly text: string; readonly style: Style };

/** Returns the runs of a row, from left to right, in its first `columns` cells. */
export function runsOf(line: IBufferLine | undefined, columns = line?.length ?? 0): readonly Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    // The second half of a wide character.
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const next = { column, width: cell.getWidth(), text: cell.getChars() || ' ', style };
    const last = runs.at(-1);
    if (last && JSON.stringify(last.style) === JSON.stringify(style)) {
      runs[runs.length - 1] = { ...last, width: last.width + next.width, text: last.text + next.text };
    } else runs.push(next);
  }
  return runs;
}

function styleOf(cell: IBufferCell): Style {
  const foreground = colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  const background = colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  return {
    ...(foreground && { foreground }),
    ...(background && { background }),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
  };
}

function colour(isDefault: boolean, isRgb: boolean, value: number): Colour | undefined {
  if (isDefault) return undefined;
  return isRgb ? { rgb: value } : { palette: value };
}
