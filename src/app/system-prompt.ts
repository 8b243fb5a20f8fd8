import { basename } from 'node:path';
import type { Instructions } from '../config/index.ts';
import { clean, plainText } from '../text/sanitize.ts';

/** The default system prompt: small, because local windows are (4k is common). Constant over a session (CX-6). */
export const SYSTEM_PROMPT = `You are aish, an assistant inside the user's terminal. The user's shell commands and their output appear as text that begins with [aish].

To run a shell command, call the bash tool, or write a line that begins with CMD: followed by one command (it may span lines); CMD&: runs it in the background. Each runs in a fresh non-interactive bash -c; only the working directory carries over. You see its output in the next turn: never guess it. DELEGATE: followed by a task hands it to a sub-agent, which reports.

Every command is judged before it runs and the user may be asked. "[aish] action skipped by user" means it did not run: do not repeat it, find another way or ask.

Prefer reading over changing. Answer briefly, in Markdown. When no command is needed, just answer.`;

/**
 * A trusted project's own instructions, as a part of the system prompt. The Norris block can't be passed off by them.
 */
export function instructionsBlock(instructions: Instructions | undefined): string {
  if (!instructions) return '';
  const text = plainText(clean(instructions.text)).replaceAll('[NORRIS MODE]', '[norris mode]').trim();
  return `\n\nInstructions of this project, from its ${basename(instructions.path)}:\n\n${text}`;
}
