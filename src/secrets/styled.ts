/** Text with colours and links, which may cut a secret into pieces that are whole again once they are stripped. */

import { eachStyle } from '../text/style.ts';

/** The text without styles, and the original offset of each character. */
export function unstyled(text: string): { readonly text: string; place(index: number): number } {
  const cuts: { at: number; removed: number }[] = [];
  let removed = 0;
  let plain = '';
  let from = 0;
  for (const { at, end } of eachStyle(text)) {
    plain += text.slice(from, at);
    from = end;
    removed += end - at;
    cuts.push({ at: end - removed, removed });
  }
  plain += text.slice(from);
  return {
    text: plain,
    place(index) {
      let low = 0;
      let high = cuts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((cuts[middle]?.at ?? 0) <= index) low = middle + 1;
        else high = middle;
      }
      return index + (cuts[low - 1]?.removed ?? 0);
    },
  };
}

/** The styles within a replaced piece: they stay, or the rest of the text would change colour. */
export function stylesIn(text: string): string {
  return Array.from(eachStyle(text), (style) => ('sgr' in style ? text.slice(style.at, style.end) : '')).join('');
}
