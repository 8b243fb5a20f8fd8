import type { ToolSpec } from '../session/message.ts';
import type { Conversation } from '../session/state.ts';
import type { Tools } from './services.ts';

/** The tools that a conversation is told of. A sub-agent can't delegate; otherwise they are the same for all (MO-2). */
export function toolsOf({ specs }: Tools, { parent }: Conversation): readonly ToolSpec[] {
  return parent ? specs.filter((spec) => spec.name !== 'delegate') : specs;
}
