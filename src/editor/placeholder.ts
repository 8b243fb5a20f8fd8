/**
 * Large pastes stand in the text as one character each, so that the cursor and every command treat them as one thing.
 * The characters are Unicode noncharacters (U+FDD0–U+FDEF, for internal use only), which are removed from all input.
 */

export const PLACEHOLDERS = /[\ufdd0-\ufdef]/g;

const FIRST = 0xfdd0;
const COUNT = 32;
/** A paste up to this size is put into the text as it is. */
const MAX_LINES = 8;
const MAX_CHARACTERS = 1000;

/** Whether a pasted text is to be folded. */
export function isLarge(text: string): boolean {
  return text.length > MAX_CHARACTERS || text.split('\n', MAX_LINES + 1).length > MAX_LINES;
}

/** A placeholder character that occurs in none of `texts`; undefined when all are in use. */
export function freePlaceholder(texts: Iterable<string>): string | undefined {
  const used = new Set<string>();
  for (const text of texts) for (const [mark] of text.matchAll(PLACEHOLDERS)) used.add(mark);
  for (let index = 0; index < COUNT; index++) {
    const mark = String.fromCharCode(FIRST + index);
    if (!used.has(mark)) return mark;
  }
  return undefined;
}

/** What a folded paste looks like. */
export function pasteLabel(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > 1 ? `[Pasted ${lines} lines]` : `[Pasted ${text.length} characters]`;
}
