import type { Message } from '../../session/message.ts';

/** What came of one action of the script, read back from the conversation. */
export type Outcome = {
  /** The lines of the result, without the program's own notices. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly exit: number | undefined;
  readonly skipped: boolean;
};

/** All that the script knows when it decides what comes next. */
export type Scene = {
  readonly norris: boolean;
  /** What the user wants, in the user's words. */
  readonly goal: string;
  /** One for each action since then, oldest first. */
  readonly outcomes: readonly Outcome[];
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
  const goalHere = norris ? goalOf(system) : undefined;
  const at = goalHere === undefined ? asked.findLastIndex((text) => text !== '') : asked.indexOf(goalHere);
  const goal = goalHere ?? asked[at] ?? '';
  return { norris, goal, outcomes: outcomesIn(here.slice(Math.max(0, at))), tools };
}

function hasAction(message: Message): boolean {
  return message.role === 'assistant' && (message.toolCalls.length > 0 || ACTION_LINE.test(message.content));
}

/** The goal's line in the Norris block; the sentinels of the instructions are no goal. */
function goalOf(system: string): string | undefined {
  const block = system.slice(system.indexOf(NORRIS));
  for (const [, text] of block.matchAll(/^[ \t]*(?:the |your )?(?:stated )?goal(?: is)?:[ \t]*(.+)$/gim)) {
    const goal = text?.trim() ?? '';
    if (goal !== '' && !/^(complete|blocked)\b/i.test(goal)) return goal;
  }
  return undefined;
}

/** What a person wrote: without notices of the program and results of commands. */
export function humanText(content: string): string {
  const kept: string[] = [];
  for (const paragraph of content.split(/\n{2,}/)) {
    if (/^\s*\[aish\]/.test(paragraph)) continue;
    // From the first result on, paragraphs may be output.
    if (/^\$ /m.test(paragraph) || /^exit \d/m.test(paragraph)) {
      kept.push(paragraph.split(/^(?:\$ |exit \d)/m)[0] ?? '');
      break;
    }
    kept.push(paragraph);
  }
  return kept.join('\n').trim();
}

function outcomesIn(messages: readonly Message[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const [index, message] of messages.entries()) {
    if (!hasAction(message)) continue;
    const rest = messages.slice(index + 1);
    const next = rest.findIndex((later) => later.role === 'assistant');
    const answers = next < 0 ? rest : rest.slice(0, next);
    outcomes.push(outcomeOf(answers.map((answer) => answer.content).join('\n')));
  }
  return outcomes;
}

function outcomeOf(text: string): Outcome {
  const lines = text.split('\n').filter((line) => !/^(\$ |\[aish\])/.test(line));
  const exit = /^\(?exit (\d+)/m.exec(text)?.[1];
  return { lines, text, exit: exit === undefined ? undefined : Number(exit), skipped: SKIPPED.test(text) };
}
