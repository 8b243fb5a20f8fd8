/** Actions as they were written, beside the state, which knows their secrets by handles only. */
import type { Action } from '../session/action.ts';
import type { SessionEvent } from '../session/event.ts';
import type { SessionId } from '../session/ids.ts';
import { parseReply } from '../session/reply.ts';

/**
 * What a model or the user wrote runs as it was written: a secret in it is a piece of its text, with the quotes, the
 * escapes and the expansions that belong to it, and not a value that somebody was given. Only handles that stand in the
 * text itself are ever resolved. In memory, for the last reply of each conversation and what the user made of it.
 */
export class Written {
  readonly #actions = new Map<SessionId, Map<string, Action>>();

  /** Takes note of an event: as it came, and as the state has it. */
  note(came: SessionEvent, hidden: SessionEvent): void {
    const { session } = came;
    if (came.type === 'replyEnded' && hidden.type === 'replyEnded') {
      this.#actions.delete(session);
      if (came.reply === hidden.reply) return;
      const theirs = actionsOf(came.reply);
      const ours = actionsOf(hidden.reply);
      // A secret that swallowed the beginning of a line: nobody can say any more which is which.
      if (theirs.length === ours.length)
        for (const [index, action] of ours.entries()) this.#keep(session, action, theirs[index]);
    } else if (came.type === 'answered' && hidden.type === 'answered' && came.answer !== hidden.answer) {
      if (came.answer.kind !== 'edit' || hidden.answer.kind !== 'edit') return;
      this.#keep(session, commandOf(hidden.answer.command), commandOf(came.answer.command));
    }
  }

  /** The action as it was written, where that is known; itself otherwise. */
  of(session: SessionId, action: Action): Action {
    const written = this.#actions.get(session)?.get(keyOf(action));
    if (action.kind === 'command')
      return written?.kind === 'command' ? { ...action, command: written.command } : action;
    if (action.kind === 'tool') return written?.kind === 'tool' ? { ...action, arguments: written.arguments } : action;
    return action;
  }

  #keep(session: SessionId, hidden: Action, written: Action | undefined): void {
    if (!written) return;
    const known = this.#actions.get(session) ?? new Map<string, Action>();
    known.set(keyOf(hidden), written);
    this.#actions.set(session, known);
  }
}

function actionsOf({ text, toolCalls }: Extract<SessionEvent, { type: 'replyEnded' }>['reply']): readonly Action[] {
  return parseReply(text, toolCalls, true).actions;
}

function commandOf(command: string): Action {
  return { kind: 'command', command, job: false };
}

function keyOf(action: Action): string {
  return action.kind === 'command' ? action.command : JSON.stringify(action);
}
