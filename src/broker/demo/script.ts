/** What the demo says and does for each goal that it understands. */

import { randomUUID } from 'node:crypto';
import type { Category, Message, ToolSpec } from '../../session/message.ts';
import { parseJson } from '../../text/json.ts';
import { pattern } from '../../text/pattern.ts';
import { asObject, asText } from '../json.ts';
import type { Preset } from '../preset.ts';
import type { Attempt } from '../transport.ts';

/** How the script describes itself, always with how to connect a real model. */
const ABOUT = [
  'I am the built-in demo: a script, not a language model. I understand a handful of goals, for instance',
  '',
  '- find all Python files modified in the last week and count them',
  '- why did that fail, after a command of yours',
  '- list the largest files',
  '- clean up old logs in DIR',
  '- list files, show disk usage, git status',
  '',
  'Each also works as `:norris GOAL`. To connect a real model:',
  '',
  '- llama.cpp: `llama-server -m MODEL.gguf --jinja` (port 8080)',
  '- Ollama: `ollama serve` and `ollama pull MODEL` (port 11434)',
  '- any OpenAI-compatible service: set `OPENAI_API_KEY` or `OPENROUTER_API_KEY`',
  '',
  'Then `:setup` finds it (a key: after starting this program again). `:model` chooses among presets.',
].join('\n');

/** The fallback, which always matches: the script does not know this goal. */
function unknownGoal(): Move {
  return blocked(
    `I don't understand that. ${ABOUT}`,
    'the demo is a script and does not know this goal; connect a model',
  );
}

const hello: Script = {
  matches: (goal) => /^\s*(hi|hello|hey|help|good (morning|evening|day)|who are you|what (are|can) you)\b/i.test(goal),
  next: () => done(`Hello! ${ABOUT}`),
};

type Simple = readonly [words: RegExp, say: string, command: (place: string) => string];

/** Goals that one command answers with its output. */
const SIMPLE: readonly Simple[] = [
  [/\b(list|show)\b.*\b(files|directory|folder|contents)\b/i, 'I list the files.', (place) => `ls -la ${place}`],
  [/\b(disk|free) (usage|space)\b/i, 'I ask the file systems.', () => 'df -h'],
  [/\bgit status\b|\bwhat.*\bchanged\b/i, 'I ask git.', () => 'git status --short --branch'],
  [/\b(where am i|current directory|working directory)\b/i, 'I ask the shell.', () => 'pwd'],
  [/\b(what time|what date|today's date)\b/i, 'I ask the clock.', () => 'date'],
  [/\b(memory|ram)\b.*\b(usage|free|used)\b/i, 'I ask the kernel.', () => 'free -h'],
];

const simple: Script = {
  matches: (goal) => SIMPLE.some(([words]) => words.test(goal)),
  next({ goal, outcomes }) {
    const row = SIMPLE.find(([words]) => words.test(goal));
    if (!row) return unknownGoal();
    const [result] = outcomes;
    if (!result) return line(row[1], row[2](placeIn(goal)));
    return setback(result) ?? done('That is what it printed; see above.');
  },
};

const SMALL_TALK: readonly Script[] = [hello, simple];

/** Recognizes the safety gate's question by the beginning of its system message (SF-4). */
const OPINION_PROMPT = 'Detect destructive shell commands';

const READS = pattern(String.raw`
    ^(ls|cat|head|tail|wc|grep|egrep|fgrep|rg|find|du|df|stat|file|sort|uniq|cut|tr|echo|printf|pwd|date|whoami
    |id|uname|ps|which|type|true|false|test|\[|seq|basename|dirname|realpath|readlink|free|uptime|tree|sleep|cd
    |mkdir|touch|git)$
  `);
const READING_GIT = /^git\s+(-C\s+\S+\s+)?(status|log|diff|show|rev-parse|ls-files|blame|describe)\b/;
const READING_TOOL = /(^|__)(read|list|get|search|find|show|view|describe|stat|fetch)(_|$)/i;
const WRITES = pattern(
  String.raw`
    [\x60$]\(|\x60|\b(rm|rmdir|unlink|shred|dd|truncate|kill|mv|delete|drop|purge|wipe|destroy|remove|format
    |overwrite)\b|-delete\b|-(exec|execdir|ok|fprintf?|fls)\b(?!\s+(du|ls|stat|wc|grep|cat|file)\b)
    |\bsort\b[^|;&]*\s-\w*o
  `,
  'i',
);

/** The demo's second opinion: NO for a short list of read-only commands, YES for everything else. */
export function opinionOn(question: string): 'YES' | 'NO' {
  const call = asObject(parseJson(question.trim()));
  const name = asText(call?.name) ?? asText(call?.tool);
  if (name !== undefined) return READING_TOOL.test(name) && !WRITES.test(question) ? 'NO' : 'YES';
  const command = commandIn(question);
  const quiet = command.replace(/\d?>>?\s*\/dev\/null|\d>&\d/g, ' ');
  if (command === '' || WRITES.test(quiet) || /[<>]/.test(withoutQuotes(quiet))) return 'YES';
  const parts = withoutQuotes(quiet).split(/\|\||&&|[|;&\n]/);
  return parts.every(onlyReads) ? 'NO' : 'YES';
}

function onlyReads(part: string): boolean {
  const text = part.trim();
  const word = /^\S+/.exec(text)?.[0] ?? '';
  if (text === '') return true;
  return READS.test(word) && (word !== 'git' || READING_GIT.test(text));
}

/** Besides the command, the question may contain the goal. */
function commandIn(question: string): string {
  const named = /^\s*command:\s*([\s\S]+?)(?=\n\s*(?:the |user'?s? )*goal\b[^\n]*:|$(?![\s\S]))/im.exec(question)?.[1];
  const rest = named ?? question.replace(/^\s*(?:the |user'?s? )*goal\b[^\n]*:.*$/gim, '');
  return rest.replace(/^```\w*\n|\n```$/g, '').trim();
}

function withoutQuotes(text: string): string {
  return text.replace(/'[^']*'|"[^"`$]*"/g, 'x');
}

// "why did that fail?": explains the user's last command in a sentence.

const CODES: Readonly<Record<number, string>> = {
  2: 'often a wrong option or argument',
  126: 'the file is there, but can’t be run as a program',
  127: 'the shell found no program of that name',
  130: 'Ctrl-C interrupted it',
  137: 'it was killed',
};

const lastFailure: Script = {
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

/** "find all Python files modified in the last week and count them" */
const findByKind: Script = {
  matches: (goal) => /\b(find|count|list|show|how many|which|search)\b/i.test(goal) && kindIn(goal) !== undefined,
  next({ goal, outcomes }) {
    const kind = kindIn(goal) ?? { name: '', pattern: '*' };
    const days = daysIn(goal);
    const place = placeIn(goal);
    const what = `${kind.name} file`;
    const since = days === undefined ? '' : ` modified in the last ${counted(days, 'day')}`;
    const search = `find ${place} -type f -name '${kind.pattern}'${days === undefined ? '' : ` -mtime -${days}`}`;
    const [listed, count] = outcomes;
    if (!listed) return line(`First I look for ${what}s${since}.`, `${search} | sort | head -n 20`);
    // Let the shell count, because the list is cut; by NUL, because names may contain line breaks.
    if (!count) {
      return (
        setback(listed) ??
        searchFailure(listed) ??
        native('Now I count all of them.', `${search} -print0 | tr -cd '\\0' | wc -c`)
      );
    }
    const total = numberIn(count);
    if (total === undefined) {
      return setback(count) ?? blocked('I could not read a number from the result.', 'no count in the result');
    }
    const names = pathsIn(listed).slice(0, 10);
    const list = total > 0 && names.length > 0 ? `\n\n${names.map((name) => `- ${name}`).join('\n')}` : '';
    const more = list !== '' && total > names.length ? `\n- … and ${total - names.length} more` : '';
    return done(`There ${total === 1 ? 'is' : 'are'} ${counted(total, what)}${since} ${whereIs(place)}.${list}${more}`);
  },
};

/** "list the largest files in DIR", "find files larger than 10MB in /var/log and report sizes" */
const findLargest: Script = {
  matches: (goal) => /\b(largest|biggest|huge)\b/i.test(goal) || sizeIn(goal) !== undefined,
  next({ goal, outcomes }) {
    const place = placeIn(goal);
    const size = sizeIn(goal);
    const search = `find ${place} -type f${size === undefined ? '' : ` -size ${size}`} -exec du -k {} +`;
    const [measured] = outcomes;
    if (!measured) return line('I measure the files and sort them by size.', `${search} | sort -rn | head -n 10`);
    if (measured.skipped) return setback(measured) ?? done('');
    const rows = measured.lines.flatMap((text) => {
      const row = /^(\d+)\s+(\S.*)$/.exec(text);
      return row?.[1] && row[2]?.includes('/') ? [`- ${readable(Number(row[1]))}  ${row[2]}`] : [];
    });
    if (rows.length === 0) return emptyEnd(setback(measured) ?? searchFailure(measured), place, size);
    const title = size === undefined ? 'The largest files' : `Files over ${size.slice(1)}B`;
    return done(`${title} ${whereIs(place)}:\n\n${rows.join('\n')}`);
  },
};

function emptyEnd(failed: Move | undefined, place: string, size: string | undefined): Move {
  return failed ?? done(`There are no files${size === undefined ? '' : ` over ${size.slice(1)}B`} ${whereIs(place)}.`);
}

/** Formats kilobytes from `du -k`. */
function readable(kilobytes: number): string {
  if (kilobytes < 1024) return `${kilobytes} KB`;
  const megabytes = kilobytes / 1024;
  return megabytes < 1024 ? `${megabytes.toFixed(1)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}

/** Up to this many files are removed by name, so that the HALT shows each of them. */
const MAX_NAMES = 12;

/**
 * "clean up old logs in DIR": looks, removes (which HALTs), looks again. Old means rotated (`.log.1`, `.old`,
 * `.log.gz`), named old, or unchanged for the number of days in the goal (default: a week).
 */
const cleanLogs: Script = {
  matches: (goal) => /\b(clean|delete|remove|purge|tidy|clear)\b.*\blogs?\b/i.test(goal),
  next(scene) {
    const place = placeIn(scene.goal);
    const days = daysIn(scene.goal) ?? 7;
    const search = `find ${place} -type f \\( -name '*.log.*' -o -name '*.old' -o -name '*old*.log' -o -name '*.log' -mtime +${days} \\)`;
    const [listed, ...after] = scene.outcomes;
    if (!listed) return line(`First I look for old logs ${whereIs(place)}.`, search);
    const paths = pathsIn(listed);
    if (paths.length === 0) {
      return (
        setback(listed) ??
        done(`There are no old logs ${whereIs(place)}: none is rotated or older than ${counted(days, 'day')}.`)
      );
    }
    const remove = paths.length <= MAX_NAMES ? `rm -f -- ${paths.map(quotePath).join(' ')}` : `${search} -delete`;
    return afterListing(scene, after, paths, remove, `${search} | wc -l`);
  },
};

function afterListing(
  scene: Scene,
  after: Scene['outcomes'],
  paths: readonly string[],
  remove: string,
  recount: string,
): Move {
  const [removal, second, third] = after;
  const found = counted(paths.length, 'old log');
  if (!removal) return line(`I found ${found}. What deletes files is put to you first.`, remove);
  if (removal.skipped) {
    return blocked(
      `You skipped the removal, so nothing was deleted. The ${found} stay:\n\n${bullets(paths)}`,
      'the removal was skipped',
    );
  }
  if (removal.exit !== 0 && removal.exit !== undefined) {
    const forbidden = /read-only|permission denied|not permitted/i.test(removal.text);
    if (!forbidden || !scene.tools.has('request_mode_upgrade')) return setback(removal) ?? done('');
    if (!second) {
      return {
        kind: 'tool',
        say: 'Writing is not allowed in this mode, so I ask for it.',
        name: 'request_mode_upgrade',
        args: { reason: `remove ${found}` },
      };
    }
    if (/den(y|ied)|refus|not approved|only the parent/i.test(second.text)) {
      return blocked('The upgrade was denied, so the logs stay.', 'writing is not allowed in this mode');
    }
    if (!third) return line('Thank you. I try the removal again.', remove);
    if (third.skipped) return blocked('You skipped the removal, so nothing was deleted.', 'the removal was skipped');
    return setback(third) ?? done(`Removed ${found}.`);
  }
  if (!second) return native('Removed. I look again to be sure.', recount);
  const left = numberIn(second);
  if (left === undefined) return setback(second) ?? done(`Removed ${found}.`);
  return left === 0
    ? done(`Removed ${found}; none is left.`)
    : blocked(`${counted(left, 'old log')} could not be removed.`, 'some logs are left');
}

function bullets(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).map((path) => `- ${path}`);
  return [...shown, ...(paths.length > 10 ? [`- … and ${paths.length - 10} more`] : [])].join('\n');
}

/** The demo's answer: text, and at most one native call. */
type DemoAnswer = {
  readonly text: string;
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
};

/** The first match wins. */
const SCRIPTS: readonly Script[] = [lastFailure, cleanLogs, findLargest, findByKind, ...SMALL_TALK];

/**
 * Returns the demo's next answer. It depends only on the conversation, so the same conversation gives the same
 * answer.
 */
function answer(messages: readonly Message[], tools: ReadonlySet<string>, category: Category): DemoAnswer {
  const system = messages.find((message) => message.role === 'system')?.content ?? '';
  const asked = messages.findLast((message) => message.role === 'user')?.content ?? '';
  if (category === 'safety' || system.startsWith(OPINION_PROMPT)) return { text: opinionOn(asked) };
  if (category === 'norris-preplan' || category === 'norris-replan')
    return { text: `TASK: Look for what the goal is about\nTASK: ${firstLine(asked)}` };
  if (category === 'memory' || category === 'summary') return { text: memoryOf(messages) };
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

// How the script reads the conversation, and the moves it can make.

/** The result of one action of the script, parsed from the conversation. */
type Outcome = {
  /** The lines of the result, without aish-tui's own notices. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly exit: number | undefined;
  readonly skipped: boolean;
};

/** A command of the user, and how it ended. */
type Ran = Pick<Outcome, 'lines' | 'exit'> & { readonly command: string };

/** Everything the script knows when it decides. */
type Scene = {
  readonly norris: boolean;
  /** The user's request in their own words. */
  readonly goal: string;
  /** One outcome for each action since the request, oldest first. */
  readonly outcomes: readonly Outcome[];
  /** The user's last command, if any. */
  readonly ran: Ran | undefined;
  /** The names of the available tools. */
  readonly tools: ReadonlySet<string>;
};

const NORRIS = '[NORRIS MODE]';
const SKIPPED = /\[aish\] action (?:skipped by user|not run)/;
const ACTION_LINE = /^\s*CMD&?:\s*\S/m;

/** Parses the conversation. A reply without an action ended the previous request. */
function readScene(messages: readonly Message[], tools: ReadonlySet<string>): Scene {
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

/** Returns the goal's line after the Norris block; the sentinels in the instructions are not a goal. */
function goalOf(system: string): string | undefined {
  const block = system.slice(system.indexOf(NORRIS));
  const lines = [...block.matchAll(/^[ \t]*goal:[ \t]*(.+)$/gim)].map(([, text]) => text?.trim() ?? '');
  return lines.findLast((text) => text !== '' && !/^(complete|blocked)\b/i.test(text));
}

type Block = { readonly command: string; readonly lines: string[]; exit?: number; readonly byUser: boolean };

/**
 * Splits a user turn into results (`$ command`, output, `[exit N, cwd …]`), notices (`[aish] …`), and the person's
 * words. A result without its last line continues to the end.
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

/** Returns the person's words in a user turn. */
function humanText(content: string): string {
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

/** The result of a call does not repeat the command, so add it. */
function withHeading({ role, content }: Message): string {
  return role === 'tool' ? content.replace(/^((?:\[aish\].*\n)*)(?!\$ )/, (notices) => `${notices}$ \n`) : content;
}

function outcomeOf(answers: readonly Message[]): Outcome {
  const text = answers.map((answer) => answer.content).join('\n');
  // Skip commands that the user ran meanwhile.
  const block = answers.flatMap((answer) => takeApart(withHeading(answer)).blocks).find(({ byUser }) => !byUser);
  return { lines: block?.lines ?? [], text, exit: block?.exit, skipped: SKIPPED.test(text) };
}

/** The script's next step: a sentence, and an action or an end. */
type Move = { readonly say: string } & (
  | { readonly kind: 'command'; readonly command: string; readonly native: boolean }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'done' }
  | { readonly kind: 'blocked'; readonly reason: string }
);

/** A goal that the script understands. `next` decides from what has happened so far. */
type Script = { readonly matches: (goal: string) => boolean; readonly next: (scene: Scene) => Move };

/** Returns a command as a `CMD:` line. */
function line(say: string, command: string): Move {
  return { kind: 'command', say, command, native: false };
}

/** Returns a command as a call of the `bash` tool, if that is available. */
function native(say: string, command: string): Move {
  return { kind: 'command', say, command, native: true };
}

function done(say: string): Move {
  return { kind: 'done', say };
}

function blocked(say: string, reason: string): Move {
  return { kind: 'blocked', say, reason };
}

/** The answer if a step gave nothing to continue with; else undefined. */
function setback(outcome: Outcome): Move | undefined {
  if (outcome.skipped) return blocked('You skipped that step, so I stop here.', 'a step was skipped by the user');
  if (outcome.exit === undefined || outcome.exit === 0) return undefined;
  const said = outcome.lines.find((text) => /: /.test(text))?.trim() ?? `exit ${outcome.exit}`;
  return blocked(`The command failed: ${said}`, 'the command failed');
}

/**
 * Why `find` found nothing: a pipeline's exit code is that of its last program, so it does not show errors of `find`.
 */
function searchFailure(outcome: Outcome): Move | undefined {
  const said = pathsIn(outcome).length > 0 ? undefined : outcome.lines.find((text) => /(?:^|: )find: /.test(text));
  return said === undefined ? undefined : blocked(`The command failed: ${said.trim()}`, 'the command failed');
}

/** Returns the last line that is only a number. */
function numberIn(outcome: Outcome | undefined): number | undefined {
  const found = outcome?.lines.findLast((text) => /^\s*\d+\s*$/.test(text));
  return found === undefined ? undefined : Number(found);
}

/** Returns the lines that are paths printed by `find`. */
function pathsIn(outcome: Outcome | undefined): readonly string[] {
  return outcome?.lines.filter((text) => /^(\.{0,2}|~|[\w.@+-]+)\//.test(text) && !/: /.test(text)) ?? [];
}

/** "1 file", "3 files". */
function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** Extracts from a goal what the script understands: a place, a time span, a size, a kind of file. */

const NO_PLACE =
  /^(the|this|that|these|those|last|past|my|a|an|all|each|it|here|there|them|total|size|order|disk|files?)$/i;

/** Returns the directory in a goal, quoted for a command line; `.` if there is none. */
function placeIn(goal: string): string {
  const quoted = /\b(?:in|under|inside|at|from|below)\s+(?:\w+\s+){0,2}?(["'`])(.+?)\1/i.exec(goal)?.[2];
  if (quoted !== undefined) return quotePath(quoted);
  const named = /\b(?:in|under|inside|at|from|below)\s+(?:the\s+)?(?:(?:directory|folder|dir)\s+)?([^\s,;]+)/gi;
  for (const [, word] of goal.matchAll(named)) {
    const path = /^\.{1,2}$/.test(word ?? '') ? (word ?? '') : (word ?? '').replace(/[.:!?)]+$/, '');
    if (path !== '' && !NO_PLACE.test(path)) return quotePath(path);
  }
  return '.';
}

/** Quotes a word for the shell; `~/…` keeps its tilde unquoted so that the shell expands it. */
function quotePath(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w./~+@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const DAYS: Readonly<Record<string, number>> = { hour: 1 / 24, day: 1, week: 7, month: 30, year: 365 };

/** Converts "last week", "past 3 days", "older than 2 months" to days. */
function daysIn(goal: string): number | undefined {
  if (/\b(today|yesterday)\b/i.test(goal)) return 1;
  const found = /\b(?:last|past|older than|within|previous)\s+(?:the\s+)?(\d+)?\s*(hour|day|week|month|year)s?\b/i.exec(
    goal,
  );
  const unit = DAYS[found?.[2]?.toLowerCase() ?? ''];
  return unit === undefined ? undefined : Math.max(1, Math.round(Number(found?.[1] ?? 1) * unit));
}

/** Describes a place for use in a sentence. */
function whereIs(place: string): string {
  return place === '.' ? 'here' : `in ${place}`;
}

/** Converts a size to `find -size` syntax: "larger than 10 MB" or "> 10 MB" becomes `+10M`. */
function sizeIn(goal: string): string | undefined {
  const found = /(?:\b(?:larger|bigger|greater|more|over|above)\s*(?:than\s+)?|>\s*)(\d+)\s*([kmg])i?b?\b/i.exec(goal);
  const unit = { k: 'k', m: 'M', g: 'G' }[found?.[2]?.toLowerCase() ?? ''];
  return found && unit ? `+${found[1]}${unit}` : undefined;
}

const KINDS: readonly (readonly [words: RegExp, name: string, pattern: string])[] = [
  [/\bpython\b|\.py\b/i, 'Python', '*.py'],
  [/\btypescript\b|\.tsx?\b/i, 'TypeScript', '*.ts'],
  [/\bjavascript\b|\.js\b/i, 'JavaScript', '*.js'],
  [/\brust\b|\.rs\b/i, 'Rust', '*.rs'],
  [/\bgo(lang)? files?\b|\.go\b/i, 'Go', '*.go'],
  [/\bmarkdown\b|\.md\b/i, 'Markdown', '*.md'],
  [/\bshell scripts?\b|\.sh\b/i, 'shell', '*.sh'],
  [/\btext files?\b|\.txt\b/i, 'text', '*.txt'],
];

/** The kind of file a goal is about. */
function kindIn(goal: string): { name: string; pattern: string } | undefined {
  const row = KINDS.find(([words]) => words.test(goal));
  return row && { name: row[1], pattern: row[2] };
}

/** The preset that needs no server (BR-6). It is a script, and says so. */
export const DEMO_PRESET: Preset = {
  name: 'demo',
  model: 'demo',
  baseUrl: 'demo:',
  demo: true,
  capabilities: { images: false },
};

/** In tokens of the script's own measure, four characters each. */
export const DEMO_WINDOW = 16_384;

/** Milliseconds between two words, so that the user can watch and stop it like a real model. */
const PAUSE_MS = 12;

type DemoOptions = {
  readonly tools?: readonly ToolSpec[];
  readonly signal: AbortSignal;
  readonly category: Category;
  readonly stream: boolean;
  onText(delta: string): void;
};

/** Answers one call, in the form of a call over HTTP. */
export async function attemptDemo(
  messages: readonly Message[],
  options: DemoOptions,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<Attempt> {
  const whole = answer(messages, new Set(options.tools?.map((tool) => tool.name)), options.category);
  let text = '';
  for (const word of whole.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    if (options.stream) await sleep(PAUSE_MS, options.signal);
    if (options.signal.aborted) return result(messages, { text }, true);
    text += word;
    options.onText(word);
  }
  return result(messages, whole, false);
}

function result(messages: readonly Message[], { text, call }: DemoAnswer, cancelled: boolean): Attempt {
  const args = call ? JSON.stringify(call.args) : '';
  const toolCalls = call ? [{ id: `call_${randomUUID().slice(0, 13)}`, name: call.name, arguments: args }] : [];
  const promptTokens = messages.reduce((sum, { content }) => sum + demoTokens(content), 0);
  const usage = { promptTokens, completionTokens: demoTokens(text) + demoTokens(args) };
  const finishReason = call ? 'tool_calls' : 'stop';
  const got = { text, reasoning: '', toolCalls, dropped: [], tooMany: 0, usage, finishReason };
  return { got, arrived: true, cancelled };
}

/** Counts tokens by the demo's own measure. */
export function demoTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
