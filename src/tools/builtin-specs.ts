/** Declarations of built-in tools whose calls become actions of other kinds. */
import type { Judgement } from '../session/action.ts';
import type { ToolSpec } from '../session/message.ts';

/** TO-1. Its calls become commands, as `CMD:` lines do. */
export const BASH: ToolSpec = {
  name: 'bash',
  description:
    'Run a command in a fresh bash -c; only the working directory carries over. Returns output, exit code and ' +
    'directory. The kernel enforces the mode. Restricted: files are read-only outside $TMPDIR, no network. Project: ' +
    "writes stay in the project and $TMPDIR, and the network waits for the user's yes. When it blocks something, use " +
    'request_mode_upgrade, not a way around.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'May span lines.' },
      wait_seconds: {
        type: 'number',
        minimum: 0,
        description: 'Then it goes on as a background job. Default 60.',
      },
      label: { type: 'string', description: 'What it does, for the user.' },
    },
    required: ['command'],
    additionalProperties: false,
  },
};

/** TO-4. Its calls become tasks of sub-agents, as `DELEGATE:` lines do. */
export const DELEGATE: ToolSpec = {
  name: 'delegate',
  description:
    'Hand one task to a sub-agent, which reports. It knows nothing of this conversation: say all it needs. ' +
    'Several run side by side.',
  parameters: {
    type: 'object',
    properties: { task: { type: 'string', minLength: 1 } },
    required: ['task'],
    additionalProperties: false,
  },
};

/** The judgement of a delegation, which by itself does nothing. */
export const DELEGATION: Judgement = {
  destructive: false,
  reason: 'each act of the sub-agent is judged by itself',
  source: 'static',
};

/** MO-3. The state machine answers its calls. */
export const MODE_UPGRADE: ToolSpec = {
  name: 'request_mode_upgrade',
  description: 'Request upgrade to Project or Unrestricted mode. User must approve the request.',
  parameters: {
    type: 'object',
    properties: {
      reason: { type: 'string', minLength: 1, description: 'Why, for the user.' },
      mode: {
        enum: ['project', 'unrestricted'],
        description: 'project: this tree, no network.',
      },
    },
    required: ['reason'],
    additionalProperties: false,
  },
};
