/** The conversation as the script reads it, and the moves it makes. */
import type { Message } from '../../session/message.ts';

/** What came of one action of the script, read back from the conversation. */
type Outcome = {
  /** The lines of the result, without the program's own notices. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly exit: number | undefined;
  readonly skipped: boolean;
};

/** A command of the user's own, and how it ended. */
export type Ran = Pick<Outcome, 'lines' | 'exit'> & { readonly command: string };

/** All that the script knows when it decides what comes next. */
export type Scene = {
  readonly norris: boolean;
  /** What the user wants, in the user's words. */
  readonly goal: string;
  /** One for each action since then, oldest first. */
  readonly outcomes: readonly Outcome[];
  /** What the user ran last, if anything. */
  readonly ran: Ran | undefined;
  /** Names of the tools on offer. */
  readonly tools: ReadonlySet<string>;
};

const NORRIS = '[NORRIS MODE]';
const SKIPPED = /\[aish\] action (?:skipped by user|not run)/;
const ACTION_LINE = /^\s*CMD&?:\s*\S/m;

/** Reads the conversation as the script needs it. A reply without an action ended what was asked before it. */
export function readScene(messages: readonly Message[], tools: ReadonlySet<string>): Scene {
  const system = messages.find((message) => message.role === 'system')?.content ?? '';
  const norris = system.includes(NORRIS);
  const afterLast = 1 + messages.findLastIndex((message) => message.role === 'assistant' && !hasAction(message));
  const here = messages.slice(afterLast).filter((message) => message.role !== 'system');
  const asked = here.map((message) => (message.role === 'user' ? humanText(message.content) : ''));
  const told = norris ? goalOf(system) : undefined;
  const at = asked.findLastIndex((text) => (told === undefined ? text !== '' : text.includes(told)));
  return {
    norris,
    goal: told ?? asked[at] ?? '',
    outcomes: outcomesIn(here.slice(Math.max(0, at))),
    ran: ranIn(messages),
    tools,
  };
}

function ranIn(messages: readonly Message[]): Ran | undefined {
  const blocks = messages.flatMap(({ role, content }) => (role === 'user' ? takeApart(content).blocks : []));
  const last = blocks.findLast(({ byUser }) => byUser);
  return last && { command: last.command, lines: last.lines, exit: last.exit };
}

function hasAction(message: Message): boolean {
  return message.role === 'assistant' && (message.toolCalls.length > 0 || ACTION_LINE.test(message.content));
}

/** The goal's line behind the Norris block; the sentinels in the instructions are not a goal. */
function goalOf(system: string): string | undefined {
  const block = system.slice(system.indexOf(NORRIS));
  const lines = [...block.matchAll(/^[ \t]*goal:[ \t]*(.+)$/gim)].map(([, text]) => text?.trim() ?? '');
  return lines.findLast((text) => text !== '' && !/^(complete|blocked)\b/i.test(text));
}

type Block = { readonly command: string; readonly lines: string[]; exit?: number; readonly byUser: boolean };

/**
 * Takes a user turn apart: results (`$ command`, output, `[exit N, cwd …]`), notices (`[aish] …`), and what a person
 * wrote. A result without its last line goes on to the end.
 */
function takeApart(content: string): { human: string; blocks: readonly Block[] } {
  const human: string[] = [];
  const blocks: Block[] = [];
  let open: Block | undefined;
  let byUser = false;
  for (const text of content.split('\n')) {
    const exit = /^[[(]?exit (\d+|unknown)/.exec(text)?.[1];
    if (open && exit !== undefined) {
      if (exit !== 'unknown') open.exit = Number(exit);
      open = undefined;
    } else if (open) {
      open.lines.push(text);
    } else if (text.startsWith('$ ')) {
      open = { command: text.slice(2), lines: [], byUser };
      blocks.push(open);
      byUser = false;
    } else if (text.startsWith('[aish]')) {
      byUser = /the user ran/.test(text);
    } else {
      human.push(text);
    }
  }
  return { human: human.join('\n').trim(), blocks };
}

/** What a person wrote in a user turn. */
export function humanText(content: string): string {
  return takeApart(content).human.replace(/^goal:\s*/i, '');
}

function outcomesIn(messages: readonly Message[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const [index, message] of messages.entries()) {
    if (!hasAction(message)) continue;
    const rest = messages.slice(index + 1);
    const next = rest.findIndex((later) => later.role === 'assistant');
    outcomes.push(outcomeOf(next < 0 ? rest : rest.slice(0, next)));
  }
  return outcomes;
}

/** The result of a call does not repeat the command. */
function withHeading({ role, content }: Message): string {
  return role === 'tool' ? content.replace(/^((?:\[aish\].*\n)*)(?!\$ )/, (notices) => `${notices}$ \n`) : content;
}

function outcomeOf(answers: readonly Message[]): Outcome {
  const text = answers.map((answer) => answer.content).join('\n');
  // The user's own commands run beside the script's.
  const block = answers.flatMap((answer) => takeApart(withHeading(answer)).blocks).find(({ byUser }) => !byUser);
  return { lines: block?.lines ?? [], text, exit: block?.exit, skipped: SKIPPED.test(text) };
}

/** What the script does next: a sentence, and an action or an end. */
export type Move = { readonly say: string } & (
  | { readonly kind: 'command'; readonly command: string; readonly native: boolean }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'done' }
  | { readonly kind: 'blocked'; readonly reason: string }
);

/** One goal the script understands. `next` gets the scene and says what follows from what has happened. */
export type Script = { readonly matches: (goal: string) => boolean; readonly next: (scene: Scene) => Move };

/** A command as a `CMD:` line. */
export function line(say: string, command: string): Move {
  return { kind: 'command', say, command, native: false };
}

/** A command as a call of the `bash` tool, where that is on offer. */
export function native(say: string, command: string): Move {
  return { kind: 'command', say, command, native: true };
}

export function done(say: string): Move {
  return { kind: 'done', say };
}

export function blocked(say: string, reason: string): Move {
  return { kind: 'blocked', say, reason };
}

/** The answer when a step found nothing to continue with; undefined when it did. */
export function setback(outcome: Outcome): Move | undefined {
  if (outcome.skipped) return blocked('You skipped that step, so I stop here.', 'a step was skipped by the user');
  if (outcome.exit === undefined || outcome.exit === 0) return undefined;
  const said = outcome.lines.find((text) => /: /.test(text))?.trim() ?? `exit ${outcome.exit}`;
  return blocked(`The command failed: ${said}`, 'the command failed');
}

/**
 * What kept `find` from finding anything: the exit code of a pipeline is that of its last program and does not tell.
 */
export function searchFailure(outcome: Outcome): Move | undefined {
  const said = pathsIn(outcome).length > 0 ? undefined : outcome.lines.find((text) => /(?:^|: )find: /.test(text));
  return said === undefined ? undefined : blocked(`The command failed: ${said.trim()}`, 'the command failed');
}

/** The last line that is a number and nothing else. */
export function numberIn(outcome: Outcome | undefined): number | undefined {
  const found = outcome?.lines.findLast((text) => /^\s*\d+\s*$/.test(text));
  return found === undefined ? undefined : Number(found);
}

/** Lines that are paths as `find` prints them. */
export function pathsIn(outcome: Outcome | undefined): readonly string[] {
  return outcome?.lines.filter((text) => /^(\.{0,2}|~|[\w.@+-]+)\//.test(text) && !/: /.test(text)) ?? [];
}

/** "1 file", "3 files". */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
