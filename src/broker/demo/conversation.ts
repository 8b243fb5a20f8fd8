import type { Message } from '../../session/message.ts';

/** What came of one action of the script, read back from the conversation. */
export type Outcome = {
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
const SKIPPED = /\[aish\] action skipped by user/;
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

function outcomeOf(answers: readonly Message[]): Outcome {
  const text = answers.map((answer) => answer.content).join('\n');
  // The user's own commands run beside the script's.
  const block = answers.flatMap(({ content }) => takeApart(content).blocks).find(({ byUser }) => !byUser);
  return { lines: block?.lines ?? [], text, exit: block?.exit, skipped: SKIPPED.test(text) };
}
