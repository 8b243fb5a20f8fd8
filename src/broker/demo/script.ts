import type { Category, Message } from '../../session/message.ts';
import { cleanLogs } from './clean-logs.ts';
import { humanText, readScene, type Scene } from './conversation.ts';
import { findByKind, findLargest } from './find-files.ts';
import { lastFailure } from './last-failure.ts';
import type { Move, Script } from './move.ts';
import { OPINION_PROMPT, opinionOn, SMALL_TALK, unknownGoal } from './small-talk.ts';

/** What the demo answers: text, and at most one native call. */
export type DemoAnswer = {
  readonly text: string;
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
};

/** First match wins. */
const SCRIPTS: readonly Script[] = [lastFailure, cleanLogs, findLargest, findByKind, ...SMALL_TALK];

/** The demo's next words, from the conversation so far and nothing else: the same conversation, the same answer. */
export function answer(messages: readonly Message[], tools: ReadonlySet<string>, category: Category): DemoAnswer {
  const system = messages.find((message) => message.role === 'system')?.content ?? '';
  const asked = messages.findLast((message) => message.role === 'user')?.content ?? '';
  if (category === 'safety' || system.startsWith(OPINION_PROMPT)) return { text: opinionOn(asked) };
  if (category === 'norris-preplan')
    return { text: `TASK: Look for what the goal is about\nTASK: ${firstLine(asked)}` };
  if (category === 'memory') return { text: memoryOf(messages) };
  const scene = readScene(messages, tools);
  const script = SCRIPTS.find((candidate) => candidate.matches(scene.goal));
  return spoken(script ? script.next(scene) : unknownGoal(), scene);
}

function spoken(move: Move, { norris, tools }: Scene): DemoAnswer {
  switch (move.kind) {
    case 'command':
      return move.native && tools.has('bash')
        ? { text: move.say, call: { name: 'bash', args: { command: move.command } } }
        : { text: `${move.say}\n\nCMD: ${move.command}` };
    case 'tool':
      return { text: move.say, call: { name: move.name, args: move.args } };
    case 'done':
      return { text: norris ? `${move.say}\n\nGOAL: complete` : move.say };
    case 'blocked':
      return { text: norris ? `${move.say}\n\nGOAL: blocked\n${move.reason}` : move.say };
  }
}

function memoryOf(messages: readonly Message[]): string {
  const asked = messages.flatMap(({ role, content }) => (role === 'user' ? [firstLine(humanText(content))] : []));
  const wishes = asked.filter((text) => text !== '').slice(-5);
  return wishes.length === 0 ? 'Nothing was asked.' : `The user asked the demo: ${wishes.join('; ')}.`;
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 78);
}
