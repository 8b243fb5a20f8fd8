/** What the terminal of a session there does with keys: the one here is raw, and says nothing of it. */
import { shellQuote } from '../../text/shell-quote.ts';
import type { AskHost } from './files.ts';

/** `echo`: what is typed is shown. `lines`: it is read line by line. */
export type ModesThere = { readonly echo: boolean; readonly lines: boolean };

const ORDINARY: ModesThere = { echo: true, lines: true };

/** Ordinary ones where they can't be told. Never rejects. @param device code that prints its path */
export async function modesThere(ask: AskHost, device: string): Promise<ModesThere> {
  const answer = await ask(`t=$(${device}); stty -a -F "$t" || stty -a -f "$t"`);
  if (answer?.exit !== 0) return ORDINARY;
  const isOff = (mode: string) => new RegExp(`(?:^|\\s)-${mode}(?:\\s|;|$)`).test(answer.text);
  return { echo: !isOff('echo'), lines: !isOff('icanon') };
}

/** Code that prints the path of a process's terminal. @param file holds its number */
export function terminalOf(file: string): string {
  return `printf /dev/%s $(ps -o tty= -p "$(cat ${shellQuote(file)})")`;
}
