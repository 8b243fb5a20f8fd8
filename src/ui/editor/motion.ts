/** Places in a text: graphemes, words, lines. All offsets are UTF-16 and lie on grapheme boundaries. */
import { graphemes } from '../../text/display.ts';

const PLACEHOLDER = /([\ufdd0-\ufdef])/;

/** The units the cursor moves over: graphemes, and each folded paste by itself whatever mark follows it. */
export function units(text: string): string[] {
  if (!PLACEHOLDER.test(text)) return splitLines(text);
  return text.split(PLACEHOLDER).flatMap((piece) => (PLACEHOLDER.test(piece) ? [piece] : splitLines(piece)));
}

/** Newlines always end a grapheme, so each line is split by itself, which keeps plain lines fast. */
function splitLines(text: string): string[] {
  if (!text.includes('\n')) return graphemes(text);
  return text.split(/(\n)/).flatMap((line) => (line === '\n' ? ['\n'] : graphemes(line)));
}

/** The boundary at or after `offset`. */
export function snap(text: string, offset: number): number {
  let at = 0;
  for (const unit of units(text)) {
    if (at >= offset) return at;
    at += unit.length;
  }
  return text.length;
}

/** The boundary after the one at `offset`. */
export function next(text: string, offset: number): number {
  const line = lineEnd(text, offset);
  if (line === offset) return Math.min(offset + 1, text.length);
  return offset + (units(text.slice(offset, line))[0]?.length ?? 0);
}

/** The boundary before the one at `offset`. */
export function previous(text: string, offset: number): number {
  const start = lineStart(text, offset);
  if (start === offset) return Math.max(0, offset - 1);
  return offset - (units(text.slice(start, offset)).at(-1)?.length ?? 0);
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

const isWord = (unit: string): boolean => /^[\p{L}\p{N}\p{M}]/u.test(unit) || PLACEHOLDER.test(unit);
const isInk = (unit: string): boolean => !/^\s/.test(unit);

/** The end of the word at or after `offset`, as Emacs counts words: letters and digits. */
export function wordEnd(text: string, offset: number): number {
  return run(text, offset, isWord);
}

/** The start of the word before `offset`. */
export function wordStart(text: string, offset: number): number {
  return runBack(text, offset, isWord);
}

/** The start of the blank-delimited word before `offset` (Ctrl-W). */
export function blankWordStart(text: string, offset: number): number {
  return runBack(text, offset, isInk);
}

function run(text: string, offset: number, inside: (unit: string) => boolean): number {
  let at = offset;
  let entered = false;
  for (const unit of units(text.slice(offset))) {
    const is = inside(unit);
    if (entered && !is) break;
    entered ||= is;
    at += unit.length;
  }
  return at;
}

function runBack(text: string, offset: number, inside: (unit: string) => boolean): number {
  let at = offset;
  let entered = false;
  for (const unit of units(text.slice(0, offset)).reverse()) {
    const is = inside(unit);
    if (entered && !is) break;
    entered ||= is;
    at -= unit.length;
  }
  return at;
}
