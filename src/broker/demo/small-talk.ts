import { parseJson } from '../../text/json.ts';
import { asObject, asText } from '../json.ts';
import { blocked, done, line, type Move, type Script, setback } from './move.ts';
import { placeIn } from './wishes.ts';

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
export function unknownGoal(): Move {
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

export const SMALL_TALK: readonly Script[] = [hello, simple];

/** The gate's question, by the beginning of its system message (SF-4). */
export const OPINION_PROMPT = 'Detect destructive shell commands';

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
