/** The built-in `bash` tool (TO-1). It is only described here: its calls become commands and go the way of every `CMD:` line. */
import type { ToolSpec } from '../session/message.ts';

export const BASH: ToolSpec = {
  name: 'bash',
  description:
    'Run a shell command in a fresh, non-interactive bash -c. The working directory carries over from call to call; ' +
    'variables, aliases and functions do not. Returns the output with exit code and directory. In Restricted mode the ' +
    'kernel refuses writes and network: use request_mode_upgrade instead of a way around.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'What to run; may span lines.' },
      wait_seconds: {
        type: 'number',
        minimum: 0,
        description: 'After this many seconds it goes on as a background job. Default 60.',
      },
      label: { type: 'string', description: 'A few words for the user on what it does.' },
    },
    required: ['command'],
    additionalProperties: false,
  },
};
