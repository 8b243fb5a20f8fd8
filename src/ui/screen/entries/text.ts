/** An entry as plain text: what is searched, and what is copied (UI-2). */
import { describeAction } from '../../../session/action.ts';
import { type Entry, resumedText } from '../../../session/entry.ts';
import { plainOutput } from '../../../session/exec-text.ts';
import { plainText, visible } from '../../../text/sanitize.ts';

/** The text, without styles; for a command the command line above what it printed, as far as it is kept here. */
export function entryText(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return askedText(entry.text, entry.attached);
    case 'assistant':
      return plainText(entry.text);
    case 'exec':
      return [`$ ${visible(entry.command)}`, outputOf(entry) ?? ''].filter((part) => part !== '').join('\n');
    case 'tool':
      return `${entry.name} ${visible(entry.arguments)}\n${plainText(entry.result?.text ?? '')}`;
    case 'delegate':
      return `${plainText(entry.task)}\n${plainText(entry.result?.text ?? '')}`;
    case 'refused':
      return `${visible(describeAction(entry.action))}\n${plainText(entry.reason)}`;
    case 'norrisBegan':
      return askedText(entry.goal, entry.attached);
    case 'plan':
      return entry.tasks.map(plainText).join('\n');
    case 'norrisStep':
      return stepText(entry);
    case 'norrisEnded':
      return `${entry.status} ${plainText(entry.reason ?? '')}`;
    case 'resumed':
      return resumedText(entry);
    case 'notice':
      return plainText(entry.text);
    case 'meta':
      return `${plainText(entry.line)}\n${plainText(entry.text)}`;
  }
}

function stepText({ step, maxSteps, task }: Extract<Entry, { kind: 'norrisStep' }>): string {
  return `step ${step}/${maxSteps}${task ? ` ${plainText(task.text)}` : ''}`;
}

function askedText(text: string, attached: readonly string[] = []): string {
  return [plainText(text), ...attached.map((name) => `with ${visible(name)}`)].join('\n');
}

function outputOf({ result }: Extract<Entry, { kind: 'exec' }>): string | undefined {
  return result && plainOutput(result, Number.MAX_SAFE_INTEGER).replace(/\n+$/, '');
}

/** A command alone, or what it printed, as far as it is kept here; undefined of any other entry. */
export function partOf(entry: Entry, part: 'command' | 'output'): string | undefined {
  if (entry.kind !== 'exec') return undefined;
  if (part === 'command') return visible(entry.command);
  return outputOf(entry);
}

/** The first words of an entry, to name it by: at most so many characters. */
export function entryName(entry: Entry, most = 30): string {
  const [line = ''] = entryText(entry).trim().split('\n');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
