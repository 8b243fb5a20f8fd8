/** What saves typing in a shell line: abbreviations, and the last words of earlier lines. */
import { replace } from './edit.ts';
import { shellSpans } from './shell-line.ts';
import type { EditorState } from './state.ts';

/**
 * Puts in place of the word before the cursor what it stands for, where a command's name is written out.
 * @param known by word
 */
export function expandAbbreviation(state: EditorState, known: Readonly<Record<string, string>>): EditorState {
  const { text, cursor } = state;
  const word = /[^\s|&;()<>"'`$\\]+$/.exec(text.slice(0, cursor))?.[0];
  if (word === undefined || !Object.hasOwn(known, word)) return state;
  const start = cursor - word.length;
  const written = shellSpans(text.slice(0, cursor)).find((span) => span.start === start && span.end === cursor);
  return written?.kind === 'command' ? replace(state, start, cursor, known[word] ?? word) : state;
}

/** The last word of a line as it is written; undefined for an empty one. */
export function lastWord(line: string): string | undefined {
  const words = line.match(/(?:[^\s"'\\]|\\[\s\S]|'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?)+/g);
  return words?.at(-1);
}
