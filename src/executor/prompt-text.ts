import { clean } from '../text/sanitize.ts';
import { find, wanted } from './find-bytes.ts';

/** What an editor draws at its prompt, as text. */

/** What an editor writes around a prompt that it draws again. */
const REDRAWN = /\r\x1b\[K\r?|\x1b\[\?2004[hl]|^\r+$/g;

/** What is left of it without what draws a prompt again. */
export function withoutRedraw(drawn: string): string {
  return drawn.replace(REDRAWN, '');
}

/** The last row of a prompt, as drawn. */
export function rowOf(prompt: string): string {
  const drawn = withoutRedraw(prompt);
  return drawn.slice(drawn.lastIndexOf('\n') + 1);
}

/** The last row of a prompt as people see it: its text with colours, and nothing else. */
export function promptRow(drawn: Buffer): string {
  const rows = clean(drawn.toString('utf8').replace(/\r\n?/g, '\n')).split('\n');
  return rows.at(-1)?.replace(/\t/g, ' ') ?? '';
}

const PASTES = wanted('\x1b[?2004');

/** Whether a line editor has said that it takes pastes (then it is open), or no more; undefined where it says nothing. */
export function takesPastes(data: Buffer): boolean | undefined {
  // Forwards and as bytes it is searched for much faster, and a flood holds none.
  if (find(data, PASTES) < 0) return undefined;
  const [on, off] = [data.lastIndexOf('\x1b[?2004h'), data.lastIndexOf('\x1b[?2004l')];
  return on === off ? undefined : on > off;
}
