/** Text with colours and links in it: a secret may be cut by them, and what remains after they are gone is whole again. */

const SEQUENCE = /\x1b(?:\[[\d;:]{0,60}m|\]8;[^\x1b\x07]{0,2100}(?:\x1b\\|\x07))/g;

/** The text without its colours, and where each of its characters stood. */
export function unstyled(text: string): { readonly text: string; place(index: number): number } {
  const cuts: { at: number; removed: number }[] = [];
  let removed = 0;
  const plain = text.replace(SEQUENCE, (sequence, at: number) => {
    cuts.push({ at: at - removed, removed: removed + sequence.length });
    removed += sequence.length;
    return '';
  });
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

/** The colours within a piece that is replaced: they stay, or all that follows would have another colour. */
export function stylesIn(text: string): string {
  return text.includes('\x1b')
    ? (text.match(SEQUENCE) ?? []).filter((sequence) => sequence.startsWith('\x1b[')).join('')
    : '';
}
