import type { ShellThere } from '../../contracts/hosts.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import type { Fact, Question } from './complete.ts';

/** What may stand at the cursor of a line for a host: the files there. Its shell itself is not asked. */
export async function namesThere(there: ShellThere, question: Question, directory: string): Promise<readonly Fact[]> {
  const typed = question.words.at(-1) ?? '';
  // What the shell there would expand, nobody here can.
  if (/[$`*?[{(]/.test(typed)) return [];
  const start = typed.replace(/^~(?=\/|$)/, there.home).replace(/["'\\]/g, '');
  const names = await there.filesLike(start, directory);
  return names.map((name) => {
    const text = /[^\w./~@%+=:,-]/.test(name) ? shellQuote(name) : name;
    return name.endsWith('/') ? { kind: 'open', text, note: '' } : { kind: 'word', text, note: '' };
  });
}
