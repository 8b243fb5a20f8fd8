/** Addresses under the mouse. Pure. */
import { displayText, graphemes, graphemeWidth } from '../../text/display.ts';
import { visible } from '../../text/sanitize.ts';
import { eachStyle, stripStyles } from '../../text/style.ts';

export type Link = {
  /** Where it leads, whole. */
  readonly address: string;
  /** The words on the screen are the address itself. */
  readonly plain: boolean;
};

const BARE = /https?:\/\/[^\s<>"'`]+/gi;
/** Ends of sentences and brackets around an address. */
const BEHIND = /[.,;:!?)\]}]+$/;
const MAX_CHARS = 4000;

/** The link at a cell of a row; undefined where there is none. */
export function linkAt(row: string, x: number): Link | undefined {
  const at = offsetOf(stripStyles(row), x);
  const marked = markedAt(row, at);
  if (marked) return { address: marked.address, plain: marked.words.trim() === marked.address };
  for (const found of stripStyles(row).matchAll(BARE)) {
    const bare = found[0].replace(BEHIND, '');
    if (found.index <= at && at < found.index + bare.length) return { address: bare, plain: true };
  }
  return undefined;
}

/** A hyperlink of the text at this place of its words: where it leads, and its words. */
function markedAt(row: string, at: number): { readonly address: string; readonly words: string } | undefined {
  let read = 0;
  let plain = '';
  let open = { address: '', from: 0 };
  for (const style of eachStyle(row)) {
    plain += row.slice(read, style.at);
    read = style.end;
    if (!('link' in style)) continue;
    if (open.address !== '' && open.from <= at && at < plain.length)
      return { address: open.address, words: plain.slice(open.from) };
    open = { address: style.link, from: plain.length };
  }
  return undefined;
}

/** Only what a browser shows, and nothing that pretends to lead elsewhere; undefined of anything else. */
export function browsable(address: string): string | undefined {
  if (address.length > MAX_CHARS || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : undefined;
}

/** As it can be read: nothing in it is hidden. */
export function shownLink(address: string): string {
  return displayText(visible(address));
}

/** Which character of a text stands in a cell. */
function offsetOf(text: string, x: number): number {
  let cell = 0;
  let offset = 0;
  for (const grapheme of graphemes(text)) {
    cell += graphemeWidth(grapheme);
    if (cell > x) return offset;
    offset += grapheme.length;
  }
  return offset;
}
