/** Which actions only read, by the program's own word: those may run side by side. No model is asked. */

import type { Services } from '../contracts/services.ts';
import type { Action } from '../session/action.ts';
import type { Reply } from '../session/message.ts';
import { parseReply } from '../session/reply.ts';

type Words = Pick<Services, 'gate' | 'tools'>;

export function onlyReads({ gate, tools }: Words, action: Action, cwd: string): boolean {
  switch (action.kind) {
    case 'command':
      return !action.job && gate.onlyReads(action.command, cwd);
    case 'delegate':
      return false;
    case 'tool':
      return tools.onlyReads(action);
  }
}

/** Whether a reply asks for several things and each of them only reads. */
export function allRead(words: Words, { text, toolCalls }: Reply, cwd: string): boolean {
  const { actions } = parseReply(text, toolCalls, true);
  return actions.length > 1 && actions.every((action) => onlyReads(words, action, cwd));
}
