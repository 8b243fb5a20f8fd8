/** What the demo says and does for each goal that it understands. */
import type { Category, Message } from '../../session/message.ts';
import { parseJson } from '../../text/json.ts';
import { asObject, asText } from '../json.ts';
import {
  blocked,
  counted,
  done,
  humanText,
  line,
  type Move,
  native,
  numberIn,
  pathsIn,
  type Ran,
  readScene,
  type Scene,
  type Script,
  searchFailure,
  setback,
} from './conversation.ts';
import { daysIn, kindIn, placeIn, quotePath, sizeIn, whereIs } from './wishes.ts';

/** What the script says about itself, always including how to connect a real model. */
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

/** The fallback, which always matches: it says that the script does not know the goal. */
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

/** Goals of one command whose output is the answer. */
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

/** The gate's question, by the beginning of its system message (SF-4). */
const OPINION_PROMPT = 'Detect destructive shell commands';

const READS =
  /^(ls|cat|head|tail|wc|grep|egrep|fgrep|rg|find|du|df|stat|file|sort|uniq|cut|tr|echo|printf|pwd|date|whoami|id|uname|ps|which|type|true|false|test|\[|seq|basename|dirname|realpath|readlink|free|uptime|tree|sleep|cd|mkdir|touch|git)$/;
const READING_GIT = /^git\s+(-C\s+\S+\s+)?(status|log|diff|show|rev-parse|ls-files|blame|describe)\b/;
const READING_TOOL = /(^|__)(read|list|get|search|find|show|view|describe|stat|fetch)(_|$)/i;
const WRITES =
  /[`$]\(|`|\b(rm|rmdir|unlink|shred|dd|truncate|kill|mv|delete|drop|purge|wipe|destroy|remove|format|overwrite)\b|-delete\b|-(exec|execdir|ok|fprintf?|fls)\b(?!\s+(du|ls|stat|wc|grep|cat|file)\b)|\bsort\b[^|;&]*\s-\w*o/i;

/** The demo's second opinion: NO for what only reads, by a short list; YES for everything else. */
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

/** The question may name the goal beside the command. */
function commandIn(question: string): string {
  const named = /^\s*command:\s*([\s\S]+?)(?=\n\s*(?:the |user'?s? )*goal\b[^\n]*:|$(?![\s\S]))/im.exec(question)?.[1];
  const rest = named ?? question.replace(/^\s*(?:the |user'?s? )*goal\b[^\n]*:.*$/gim, '');
  return rest.replace(/^```\w*\n|\n```$/g, '').trim();
}

function withoutQuotes(text: string): string {
  return text.replace(/'[^']*'|"[^"`$]*"/g, 'x');
}

// "why did that fail?": what is known of the command that the user ran last, in a sentence.

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
    // Counted by the shell and not from the list, which is cut; by NUL, since a name may hold a line break.
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

/** Kilobytes of `du -k` for a person. */
function readable(kilobytes: number): string {
  if (kilobytes < 1024) return `${kilobytes} KB`;
  const megabytes = kilobytes / 1024;
  return megabytes < 1024 ? `${megabytes.toFixed(1)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}

/** Up to here files are removed by name, so that the HALT shows each of them. */
const MAX_NAMES = 12;

/**
 * "clean up old logs in DIR": looks, removes (which HALTs), looks again. Old is what is rotated (`.log.1`, `.old`,
 * `.log.gz`), called old, or unchanged for the days the goal names (a week if the goal names none).
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
