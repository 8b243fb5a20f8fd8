/** A line of segments that always fits: the lightest are shortened, then left out. */
import { graphemes, graphemeWidth, textWidth } from '../text/display.ts';

export type Segment = {
  readonly text: string;
  /** Used where the whole line does not fit. */
  readonly short?: string;
  /** The heaviest stay longest. */
  readonly weight: number;
};

const GAP = '  ';

/** `left` segments, `right` at the right edge, exactly `columns` cells wide. */
export function fitSegments(left: readonly Segment[], right: Segment | undefined, columns: number): string {
  let kept = [...left, ...(right ? [right] : [])];
  while (kept.length > 1 && widthOf(kept) > columns) {
    const lightest = kept.reduce((least, segment) => (segment.weight < least.weight ? segment : least));
    kept = kept.flatMap((segment) => {
      if (segment !== lightest) return [segment];
      return segment.short !== undefined && segment.short !== segment.text
        ? [{ text: segment.short, weight: segment.weight }]
        : [];
    });
  }
  const last =
    right && kept.length > 1 && (kept.at(-1) === right || kept.at(-1)?.text === right.short) ? kept.at(-1) : undefined;
  const texts = (last ? kept.slice(0, -1) : kept).map((segment) => segment.text);
  const start = ` ${texts.join(GAP)}`;
  const end = last ? `${last.text} ` : '';
  const room = columns - textWidth(end);
  return cut(start, room) + ' '.repeat(Math.max(0, room - textWidth(start))) + end;
}

function widthOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + textWidth(text) + GAP.length, 0);
}

/** The text in at most so many cells; an ellipsis stands for what is gone. */
export function cut(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}
