/** Graphemes and the cells they take. One place, so that editor, wrapping and tokenizer agree. */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Text in which every UTF-16 unit is a grapheme of one cell: no segmentation needed. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Splits text into what a person sees as one character each. */
export function graphemes(text: string): string[] {
  if (PLAIN.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), (piece) => piece.segment);
}

const widths = new Map<string, number>();

/** Cells of one grapheme (0, 1, 2 or more), remembered. Control characters count 0. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1;
  let width = widths.get(grapheme);
  if (width === undefined) {
    width = stringWidth(grapheme, { countAnsiEscapeCodes: true });
    if (widths.size > 10_000) widths.clear();
    widths.set(grapheme, width);
  }
  return width;
}

/** Cells of a text without escape sequences. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}
