/** Ports of the program that report nothing. */
import type { App, Info } from '../../src/commands/app.ts';
import type { FleetPort } from '../../src/contracts/fleet.ts';

export const QUIET_FLEETS: FleetPort = {
  start: async () => ({ problem: 'no hosts here' }),
  resume: async () => ({ problem: 'no fleet here' }),
};

export const QUIET_PORTS: Pick<App, 'attachments' | 'setup' | 'sessions'> = {
  attachments: {
    find: async () => [],
    take: async () => [],
    complete: async () => [],
    pasted: () => undefined,
  },
  setup: {
    file: '/tmp/config.jsonc',
    found: undefined,
    find: async () => [],
    test: async () => ({ problem: 'nothing is here' }),
    write: async () => ({ problem: 'nothing is here' }),
  },
  sessions: {
    list: async () => [],
    ending: async () => [],
    days: 30,
    old: async () => [],
    remove: async () => 0,
    resume: () => undefined,
    again: () => undefined,
    next: undefined,
  },
};

export const QUIET_INFO: Info = {
  surroundings: '',
  shellPrompt: '',
  jobs: 0,
  sandbox: false,
  unsaved: false,
  withoutOpinion: false,
  withoutUndo: false,
  changed: [],
  sessionId: 's1',
  version: '0',
  branch: 'main',
};
