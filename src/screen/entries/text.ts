/** An entry as plain text: what is searched, and what is copied (UI-2). */
import { describeAction } from '../../session/action.ts';
import type { Entry } from '../../session/entry.ts';
import { plainOutput } from '../../session/exec-text.ts';
import { stripStyles, visible } from '../../text/sanitize.ts';

/** The text, without styles; for a command the command line above what it printed, as far as it is kept here. */
export function entryText(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
    case 'assistant':
      return stripStyles(entry.text);
    case 'exec': {
      const output = entry.result ? plainOutput(entry.result, Number.MAX_SAFE_INTEGER).replace(/\n+$/, '') : '';
      return output === '' ? `$ ${visible(entry.command)}` : `$ ${visible(entry.command)}\n${output}`;
    }
    case 'tool':
      return `${entry.name} ${visible(entry.arguments)}\n${stripStyles(entry.result?.text ?? '')}`;
    case 'delegate':
      return `${stripStyles(entry.task)}\n${stripStyles(entry.result?.text ?? '')}`;
    case 'refused':
      return `${visible(describeAction(entry.action))}\n${stripStyles(entry.reason)}`;
    case 'norrisBegan':
      return stripStyles(entry.goal);
    case 'plan':
      return entry.tasks.map(stripStyles).join('\n');
    case 'norrisStep':
      return `step ${entry.step}/${entry.maxSteps}${entry.task ? ` ${stripStyles(entry.task.text)}` : ''}`;
    case 'norrisEnded':
      return `${entry.status} ${stripStyles(entry.reason ?? '')}`;
    case 'notice':
      return stripStyles(entry.text);
    case 'meta':
      return `${stripStyles(entry.line)}\n${stripStyles(entry.text)}`;
  }
}

/** The first words of an entry, to name it by: at most so many characters. */
export function entryName(entry: Entry, most = 30): string {
  const [line = ''] = entryText(entry).trim().split('\n');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
