/**
 * Turns for a scripted server that play a parent and its sub-agents, distinguished by the system prompt and the task.
 */
import type { ScriptedRequest, Turn } from './scripted-server.ts';

export function toParent(request: Pick<ScriptedRequest, 'system'>): boolean {
  return !request.system.includes('[SUB-AGENT]');
}

/** Returns a turn for the parent. */
export function parent(turn: Turn): Turn {
  return { ...turn, when: toParent };
}

/** A turn for the sub-agent whose task contains `word`. */
export function agent(word: string, turn: Turn): Turn {
  return {
    ...turn,
    when: (request) => !toParent(request) && request.messages[1]?.content.includes(word) === true,
  };
}

/** Returns one reply that delegates each task by a tool call. */
export function delegates(...tasks: string[]): Turn {
  return { toolCalls: tasks.map((task) => ({ name: 'delegate', args: { task } })) };
}
