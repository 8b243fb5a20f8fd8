/** What the user most likely goes on to type (IN-8): the newest line of the history that begins as the text does. */
import type { LineFacts } from '../../contracts/store.ts';

type Kept = {
  /** Oldest first. */
  readonly lines: readonly string[];
  readonly factsOf: (line: string) => LineFacts | undefined;
  readonly isAgents: (line: string) => boolean;
};

/** The exit code of a command that there is not. */
const NOT_FOUND = 127;
/** Further back the newest line will do, wherever it ran. */
const MAX_HERE = 500;

/** The rest of the line; one that ran in this directory comes first. Undefined for none. */
export function suggest(text: string, cwd: string, { lines, factsOf, isAgents }: Kept): string | undefined {
  if (text.trim() === '' || /[\n\ufdd0-\ufdef]/.test(text)) return undefined;
  let newest: string | undefined;
  let left = MAX_HERE;
  for (let index = lines.length - 1; index >= 0 && left > 0; index -= 1) {
    const line = lines[index] ?? '';
    if (line.length <= text.length || !line.startsWith(text) || line.includes('\n') || isAgents(line)) continue;
    left -= 1;
    const facts = factsOf(line);
    if (facts?.exit === NOT_FOUND) continue;
    if (facts?.cwd === cwd) return line.slice(text.length);
    newest ??= line.slice(text.length);
  }
  return newest;
}

/** The first word of a suggestion, with the blanks before it. */
export function firstWord(rest: string): string {
  return /^\s*[^\s/]*(?:\/|(?=\s|$))/.exec(rest)?.[0] ?? rest;
}
