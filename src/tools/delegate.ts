/** The built-in `delegate` tool (TO-4). It is only described here: its calls become tasks of sub-agents, as `DELEGATE:` lines do. */
import type { Judgement } from '../session/action.ts';
import type { ToolSpec } from '../session/message.ts';

export const DELEGATE: ToolSpec = {
  name: 'delegate',
  description:
    'Hand one task to a sub-agent and get its report. It knows nothing of this conversation: say all it needs. ' +
    'Several in one answer run side by side.',
  parameters: {
    type: 'object',
    properties: { task: { type: 'string', minLength: 1 } },
    required: ['task'],
    additionalProperties: false,
  },
};

/** What is thought of a delegation: it does nothing by itself. */
export const DELEGATION: Judgement = {
  destructive: false,
  reason: 'each act of the sub-agent is judged by itself',
  source: 'static',
};
