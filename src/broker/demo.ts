/** The built-in demo: a script that shows a question, a HALT that is tried and undone, and a run. */
import type { Category, Message } from '../session/message.ts';
import type { Preset } from './preset.ts';
import type { Attempt } from './transport.ts';

const QUESTION = 'A question: run `cat nothere`, then ask `why did that fail?`';
const HALT =
  'A HALT: run `mkdir -p logs; date >logs/app.log.1`, then type `clean up old logs in logs`. The removal is shown to you first';
const RUN = 'A run of several steps: `:norris find all Python files modified in the last week and count them`';
const CONNECT = [
  'To connect a real model:',
  '',
  '- llama.cpp: `llama-server -m MODEL.gguf --jinja` (port 8080)',
  '- Ollama: `ollama serve` and `ollama pull MODEL` (port 11434)',
  '- any OpenAI-compatible service: set `OPENAI_API_KEY` or `OPENROUTER_API_KEY`',
  '',
  'Then `:setup` finds it (for a key, start this program again first). `:model` chooses among presets.',
].join('\n');
const TOUR = `I am the built-in demo: a script, not a language model. I show three things:\n\n1. ${QUESTION}\n2. ${HALT}\n3. ${RUN}\n\n${CONNECT}`;

/** A command and its result, from the conversation. */
type Block = { readonly command: string; readonly lines: string[]; exit?: number; readonly byUser: boolean };
type Part = { readonly human: string; readonly blocks: readonly Block[]; readonly skipped: boolean };

/** Everything the script knows when it decides what to say next. */
type Scene = {
  readonly norris: boolean;
  /** The goal in the user’s words. */
  readonly goal: string;
  /** Results of the script's own commands for this goal, oldest first. */
  readonly results: readonly Block[];
  readonly skipped: boolean;
  /** The command that the user ran last. */
  readonly ran: Block | undefined;
};

/** The first stop whose words are in the goal answers. */
const STOPS: readonly (readonly [RegExp, (scene: Scene) => string])[] = [
  [/\bwhy\b.*\b(fail|failed|error|wrong)\b/i, explain],
  [/\b(clean|delete|remove)\b.*\blogs?\b/i, cleanUp],
  [/\bpython files\b/i, countPython],
];

function explain({ ran }: Scene): string {
  if (!ran) return `You have run nothing yet. ${QUESTION}`;
  const said = ran.lines.findLast((text) => text.trim() !== '')?.trim();
  const shown = `\`${ran.command}\` ended with exit ${ran.exit ?? 'unknown'}`;
  return `${shown}${said === undefined ? '' : `. It said: \`${said}\``}. A real model would say why.\n\nNext: ${HALT}.`;
}

/** Removes at most this many files by name, so that the HALT shows each of them. */
const MAX_NAMES = 12;

function cleanUp(scene: Scene): string {
  const place = /\bin ([\w./~][\w./~-]*)/.exec(scene.goal)?.[1] ?? '.';
  const [listed, removal] = scene.results;
  const stopped = setback(scene);
  if (stopped !== undefined) return stopped;
  if (!listed) return act(`First I look for rotated logs in ${place}.`, `find ${place} -type f -name '*.log.*'`);
  const paths = listed.lines.filter((text) => /^[\w.~/+@-]+$/.test(text)).slice(0, MAX_NAMES);
  if (paths.length === 0) return end(scene, `There are no rotated logs in ${place}. ${HALT}.`);
  if (!removal)
    return act(
      `I found ${paths.length}. t tries the removal and lists what it would change; p runs it.`,
      `rm -f -- ${paths.join(' ')}`,
    );
  return end(scene, `Removed. \`:undo run\` shows what would come back.\n\nNext: ${RUN}.`);
}

function countPython(scene: Scene): string {
  const week = /\bweek\b/i.test(scene.goal);
  const search = `find . -type f -name '*.py'${week ? ' -mtime -7' : ''}`;
  const [listed, counted] = scene.results;
  const stopped = setback(scene);
  if (stopped !== undefined) return stopped;
  if (!listed) return act('First I look for the Python files.', `${search} | sort | head -n 20`);
  // Count with NUL, because a name may contain a line break; don't count the list, which is cut.
  if (!counted) return act('Now I count all of them.', `${search} -print0 | tr -cd '\\0' | wc -c`);
  const total = counted.lines.find((text) => /^\s*\d+\s*$/.test(text))?.trim();
  if (total === undefined) return end(scene, 'There was no number in the result.', 'no count in the result');
  const names = listed.lines.filter((text) => text.startsWith('./')).slice(0, 10);
  const list = names.length === 0 ? '' : `\n\n${names.map((name) => `- ${name}`).join('\n')}`;
  const what = `${total} Python file${total === '1' ? '' : 's'}${week ? ' modified in the last 7 days' : ''}`;
  return end(scene, `There ${total === '1' ? 'is' : 'are'} ${what} here.${list}`);
}

/** The answer that ends the script early; undefined if everything went well so far. */
function setback(scene: Scene): string | undefined {
  if (scene.skipped) return end(scene, 'You skipped that step, so I stop here.', 'a step was skipped by the user');
  const failed = scene.results.find(({ exit = 0 }) => exit !== 0);
  const said = failed?.lines.find((text) => text.includes(': '))?.trim() ?? `exit ${failed?.exit}`;
  return failed && end(scene, `The command failed: ${said}`, 'the command failed');
}

const act = (say: string, command: string) => `${say}\n\nCMD: ${command}`;

/** @param blocked why a run can't go on; undefined: it is complete */
function end({ norris }: Scene, say: string, blocked?: string): string {
  if (!norris) return say;
  return `${say}\n\nGOAL: ${blocked === undefined ? 'complete' : `blocked\n${blocked}`}`;
}

const NORRIS = '[NORRIS MODE]';
const ACTION = /^\s*CMD: *\S/m;

/** Depends only on the conversation: the same conversation gets the same answer. */
function answer(messages: readonly Message[], category: Category): string {
  // The demo can't judge a command, so it never calls one safe.
  if (category === 'safety') return 'YES';
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const wish = (takeApart(asked).human.split('\n')[0] ?? '').slice(0, 78);
  if (category === 'norris-preplan' || category === 'norris-replan')
    return `TASK: Look for what the goal is about\nTASK: ${wish}`;
  if (category === 'memory' || category === 'summary') return `The user asked the demo: ${wish}.`;
  const scene = sceneOf(messages);
  const [, next] = STOPS.find(([words]) => words.test(scene.goal)) ?? [];
  return next?.(scene) ?? end(scene, TOUR, 'the demo is a script and does not know this goal; connect a model');
}

/** A reply without an action ended the previous request. */
function sceneOf(messages: readonly Message[]): Scene {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  const norris = system.includes(NORRIS);
  const told = norris ? goalIn(system.slice(system.indexOf(NORRIS))) : undefined;
  const last = messages.findLastIndex(({ role, content }) => role === 'assistant' && !ACTION.test(content));
  const partsOf = (some: readonly Message[]) =>
    some.filter(({ role }) => role === 'user').map(({ content }) => takeApart(content));
  const here = partsOf(messages.slice(last + 1));
  const at = here.findLastIndex(({ human }) => (told === undefined ? human !== '' : human.includes(told)));
  // A command that ran before the goal is in the goal's own turn or above it.
  const since = here.slice(at + 1);
  return {
    norris,
    goal: told ?? here[at]?.human ?? '',
    results: since.flatMap(({ blocks }) => blocks).filter(({ byUser }) => !byUser),
    skipped: since.some(({ skipped }) => skipped),
    ran: partsOf(messages)
      .flatMap(({ blocks }) => blocks)
      .findLast(({ byUser }) => byUser),
  };
}

/** Returns the goal's line after the Norris block; the sentinels in the instructions are not a goal. */
function goalIn(block: string): string | undefined {
  const goals = [...block.matchAll(/^[ \t]*goal:[ \t]*(.+)$/gim)].map(([, text]) => text?.trim() ?? '');
  return goals.findLast((text) => text !== '' && !/^(complete|blocked)\b/i.test(text));
}

/**
 * Splits a user turn into results (`$ command`, output, `[exit N, cwd …]`), notices (`[aish] …`), and the person's
 * words.
 */
function takeApart(content: string): Part {
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
  const skipped = /^\[aish\] action (?:skipped by user|not run)/m.test(content);
  return {
    human: human
      .join('\n')
      .trim()
      .replace(/^goal:\s*/i, ''),
    blocks,
    skipped,
  };
}

/** The preset that works without any server (BR-6). It is a script, and named as such. */
export const DEMO_PRESET: Preset = {
  name: 'demo',
  model: 'demo',
  baseUrl: 'demo:',
  demo: true,
  capabilities: { images: false },
};

/** Tokens, by the script's own measure of four characters each. */
export const DEMO_WINDOW = 16_384;

/** Milliseconds between two words, so that it can be watched and stopped like a real one. */
const PAUSE_MS = 12;

type DemoOptions = {
  readonly signal: AbortSignal;
  readonly category: Category;
  readonly stream: boolean;
  onText(delta: string): void;
};

/** Answers one call, in the form of a call over HTTP. */
export async function attemptDemo(
  messages: readonly Message[],
  { signal, category, stream, onText }: DemoOptions,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<Attempt> {
  let text = '';
  let cancelled = false;
  for (const word of answer(messages, category).match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    if (stream) await sleep(PAUSE_MS, signal);
    cancelled = signal.aborted;
    if (cancelled) break;
    text += word;
    onText(word);
  }
  const promptTokens = messages.reduce((sum, { content }) => sum + demoTokens(content), 0);
  const usage = { promptTokens, completionTokens: demoTokens(text) };
  const got = { text, reasoning: '', toolCalls: [], dropped: [], tooMany: 0, usage, finishReason: 'stop' };
  return { got, arrived: true, cancelled };
}

/** Returns the number of tokens by which the demo counts a text. */
export function demoTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
