/** The built-in `request_mode_upgrade` (MO-3). It is only described here: the machine answers it. */
import type { ToolSpec } from '../session/message.ts';

export const MODE_UPGRADE: ToolSpec = {
  name: 'request_mode_upgrade',
  description:
    'Request upgrade from Restricted to Unrestricted mode. Only available in Restricted mode. User must approve the request.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', minLength: 1, description: 'Why write access is needed, for the user.' } },
    required: ['reason'],
    additionalProperties: false,
  },
};
