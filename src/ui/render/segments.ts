/** Fits a line of segments into a width: the lightest are shortened, then left out. */
import { graphemes, graphemeWidth, textWidth } from '../../text/display.ts';
import type { Paint, Role } from './theme.ts';

export type Segment = {
  readonly text: string;
  /** The text shown if the whole line does not fit. */
  readonly short?: string;
  /** The heaviest segments stay longest. */
  readonly weight: number;
  /** Is shortened as far as needed, and not left out, once nothing lighter is left. */
  readonly shrinks?: true | undefined;
  /** The segment's colour; by default that of the line. */
  readonly role?: Role;
};

const GAP = '  ';

/**
 * Returns a line of exactly `columns` cells with `left` segments and `right` ones at its right edge. A segment without
 * a role has `role`.
 */
export function fitSegments(
  left: readonly Segment[],
  right: Segment | undefined,
  columns: number,
  { paint, role }: { readonly paint: Paint; readonly role: Role },
): string {
  let kept: readonly Segment[] = [...left, ...(right ? [right] : [])];
  while (kept.length > 1 && widthOf(kept) > columns) {
    const lightest = kept.reduce((least, segment) => (segment.weight < least.weight ? segment : least));
    kept = kept.flatMap((segment) => {
      if (segment !== lightest) return [segment];
      const room = columns - widthOf(kept.filter((each) => each !== segment)) - GAP.length;
      if (segment.shrinks && room > 1) return [{ ...segment, text: cut(segment.text, room), shrinks: undefined }];
      return segment.short !== undefined && segment.short !== segment.text ? [{ ...segment, text: segment.short }] : [];
    });
  }
  const last =
    right && kept.length > 1 && (kept.at(-1) === right || kept.at(-1)?.text === right.short) ? kept.at(-1) : undefined;
  const draw = (segment: Segment) => paint(segment.role ?? role, segment.text);
  const shown = last ? kept.slice(0, -1) : kept;
  const width = widthOf(shown) - GAP.length;
  const room = columns - (last ? textWidth(last.text) + 1 : 0);
  if (width > room) return paint(role, cut(shown.map(({ text }) => text).join(GAP), columns));
  return `${shown.map(draw).join(GAP)}${' '.repeat(room - width)}${last ? `${draw(last)} ` : ''}`;
}

function widthOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + textWidth(text) + GAP.length, 0);
}

/** Cuts the text to at most `columns` cells, with a mark of one cell or none at its end. */
export function cut(text: string, columns: number, mark = '…'): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - mark.length) break;
    kept += grapheme;
  }
  return kept + mark;
}
