/** Tab completion (IN-6): completes `:` commands and arguments here; shell lines through `shell`. */
import type { Completion, Completions } from '../contracts/lines.ts';
import type { App } from './app.ts';
import { askedIn } from './attachments.ts';
import type { Argument, Command } from './command.ts';
import { commands } from './table.ts';

const MAX_OFFERED = 200;
/** The beginning of a word after `@`. */
const AT_START = /(?:^\??|\s)@((?:\\.|[^\s\\@])*)$/;

export type CompleteShell = (line: string, cursor: number, signal: AbortSignal) => Promise<Completions>;

/** Returns candidates to replace the text from `start` to `cursor`. */
export async function completeLine(
  app: App,
  line: string,
  cursor: number,
  signal: AbortSignal,
  shell: CompleteShell,
): Promise<Completions> {
  const before = line.slice(0, cursor);
  const meta = /^(\s*):(\S*)$/.exec(before);
  if (meta) return { start: (meta[1] ?? '').length, items: names(meta[2] ?? '') };
  const at = AT_START.exec(before);
  if (at && askedIn(app.classify(line)) !== undefined) {
    const word = at[1] ?? '';
    return { start: cursor - word.length, items: await app.attachments.complete(word) };
  }
  const argument = /^\s*:(\S+)\s+/.exec(before);
  if (argument) {
    const command = commands.find((candidate) => candidate.name === argument[1]);
    return command ? argumentOf(app, command, { line, cursor, from: argument[0].length, signal, shell }) : none(cursor);
  }
  // A prefix that forces the kind of line is not part of the command.
  const from = /^\s*(?:!!?|\?)/.exec(before)?.[0].length ?? 0;
  return behind(line, cursor, from, signal, shell);
}

type Place = {
  readonly line: string;
  readonly cursor: number;
  /** The start of the arguments. */
  readonly from: number;
  readonly signal: AbortSignal;
  readonly shell: CompleteShell;
};

async function argumentOf(app: App, command: Command, place: Place): Promise<Completions> {
  const { line, cursor, from, signal, shell } = place;
  const rest = line.slice(from, cursor);
  const lead = command.shellBehind?.exec(rest)?.[0];
  if (lead !== undefined) return behind(line, cursor, from + lead.length, signal, shell);
  const words = rest.split(/\s+/);
  const current = words.pop() ?? '';
  const offered = (await command.arguments?.(app, words)) ?? [];
  const items = offered.map(asCompletion).filter(({ text }) => text.startsWith(current));
  return { start: cursor - current.length, items: items.slice(0, MAX_OFFERED) };
}

function asCompletion(argument: Argument): Completion {
  const { word, note = undefined } = typeof argument === 'string' ? { word: argument } : argument;
  return { text: word, ...(note === undefined ? {} : { note }) };
}

async function behind(
  line: string,
  cursor: number,
  from: number,
  signal: AbortSignal,
  shell: CompleteShell,
): Promise<Completions> {
  const { start, items } = await shell(line.slice(from), cursor - from, signal);
  return { start: start + from, items };
}

function names(start: string): readonly Completion[] {
  return commands
    .filter(({ name }) => name.startsWith(start))
    .map(({ name, summary }) => ({ text: `:${name}`, note: summary }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}

function none(cursor: number): Completions {
  return { start: cursor, items: [] };
}
