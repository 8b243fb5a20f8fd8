import { basename } from 'node:path';
import type { Instructions } from '../config/index.ts';
import { clean, plainText } from '../text/sanitize.ts';

/** The default system prompt: small, because local windows are (4k is common). Constant over a session (CX-6). */
export const SYSTEM_PROMPT = `You are aish, an assistant inside the user's terminal. Text that begins with [aish] comes from this program: the user's shell commands with their output, and news.

Every action is judged before it runs and the user may be asked. "[aish] action skipped by user" means it did not run: do not repeat it, find another way or ask.

Look before you change anything. Change files with patch rather than sed or a here-document. Run the tests after a change. Do not commit or push unless asked. Stop when it is done; answer briefly, in Markdown. When no command is needed, just answer.`;

const SEEN = 'You see what came of it in the next turn: never guess it.';

const WITH_TOOLS = `To act, call a tool. ${SEEN}`;

const WITH_MARKERS = `To act, write such lines. ${SEEN}
CMD: a shell command, which may span lines; CMD&: runs it in the background. Each runs in a fresh non-interactive bash -c; only the working directory carries over.
PATCH: the path of a text file to change or create, and behind it a fence with blocks (or a unified diff):
\`\`\`
<<<<<<< SEARCH
lines as they are in the file, found exactly once; none: the whole file is written
=======
the lines instead
>>>>>>> REPLACE
\`\`\``;

const FOR_USERS_AGENT = `
MODE: project or MODE: unrestricted, and a reason, asks the user for a wider mode (request_mode_upgrade).
DELEGATE: a task, for a sub-agent, which knows nothing of this conversation and reports.`;

/** How a model acts: one way of the two, by what its server can do. Both are always understood. */
export function protocolFor({ tools, agent }: { readonly tools: boolean; readonly agent: boolean }): string {
  return `\n\n${tools ? WITH_TOOLS : WITH_MARKERS + (agent ? '' : FOR_USERS_AGENT)}`;
}

/**
 * A trusted project's own instructions, as a part of the system prompt. The Norris block can't be passed off by them.
 */
export function instructionsBlock(instructions: Instructions | undefined): string {
  if (!instructions) return '';
  const text = plainText(clean(instructions.text)).replaceAll('[NORRIS MODE]', '[norris mode]').trim();
  return `\n\nInstructions of this project, from its ${basename(instructions.path)}:\n\n${text}`;
}
