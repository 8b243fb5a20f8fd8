/** What a model says to people: its text without the lines that ask for something, which are shown as what they ask for. */
import { markerLines } from './reply.ts';

const FENCE = /^ {0,3}(?:```|~~~)/;
/** How lines begin that may become a marker with the next token. */
const BEGINNINGS = ['CMD:', 'CMD&:', 'DELEGATE:', 'GOAL: complete', 'GOAL: blocked'] as const;

/**
 * A model's text without its markers (AC-1): each stands in the transcript as an action of its own, and in `:history` as it was
 * written. The prefix of a growing text gives the prefix of the result, but for its last line.
 */
export function withoutMarkers(text: string, growing = false): string {
  const lines = text.split('\n');
  const asked = markerLines(text);
  const kept: string[] = [];
  let fenced = false;
  /** A fence's first lines, until something in it is no marker: one that only asks for actions says nothing else. */
  let held: string[] = [];
  let asks = false;
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (asked.has(index)) asks = fenced;
    else if (FENCE.test(line)) {
      fenced = !fenced;
      if (fenced) held = [line];
      else if (held.length === 0) kept.push(line);
      else if (!asks) kept.push(...held, line);
      if (!fenced) held = [];
      asks = false;
    } else if (growing && index === lines.length - 1 && words !== '' && isBeginning(words)) continue;
    else if (held.length > 0 && words === '') held.push(line);
    else {
      kept.push(...held, line);
      held = [];
    }
  }
  if (!growing && !asks) kept.push(...held);
  return kept.length === lines.length ? text : kept.join('\n');
}

function isBeginning(words: string): boolean {
  return BEGINNINGS.some((marker) => marker.startsWith(words));
}
