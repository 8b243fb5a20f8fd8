/** "why did that fail?": what is known of the command that the user ran last, in a sentence. */
import type { Ran } from './conversation.ts';
import { done, type Script } from './move.ts';

const CODES: Readonly<Record<number, string>> = {
  2: 'often a wrong option or argument',
  126: 'the file is there, but can’t be run as a program',
  127: 'the shell found no program of that name',
  130: 'Ctrl-C interrupted it',
  137: 'it was killed',
};

export const lastFailure: Script = {
  matches: (goal) => /\bwhy\b.*\b(fail|failed|failing|error|wrong|work)\b|\bwhat went wrong\b/i.test(goal),
  next: ({ ran }) => done(ran ? told(ran) : 'You have run nothing yet: type a command first, such as `ls nothere`.'),
};

function told({ command, lines, exit }: Ran): string {
  const [shown = ''] = command.split('\n');
  if (exit === 0) return `Nothing failed: \`${shown}\` ended with exit 0.`;
  const said = lines.findLast((text) => text.trim() !== '')?.trim();
  const meaning = exit === undefined ? undefined : CODES[exit];
  return [
    `\`${shown}\` ended with exit ${exit ?? 'unknown'}${meaning === undefined ? '' : `: ${meaning}`}.`,
    ...(said === undefined ? [] : [`It said: \`${said}\``]),
    'That is all a script can see; a model would explain it. `:setup` connects one.',
  ].join('\n\n');
}
