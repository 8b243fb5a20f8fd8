import { blocked, done, line, type Move, type Script, setback } from './move.ts';
import { placeIn } from './wishes.ts';

/** What the script says about itself, always including how to connect a real model. */
const ABOUT = [
  'I am the built-in demo: a script, not a language model. I understand a handful of goals, for instance',
  '',
  '- find all Python files modified in the last week and count them',
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
  'Then start this program again, or add a preset under `models` in the config and choose it with `:model`.',
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
