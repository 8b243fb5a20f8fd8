import type { Command } from './command.ts';

/** `:secrets`: what was found and hidden so far, by handle; never a value (SE-2). */
export const secrets: Command = {
  name: 'secrets',
  usage: ':secrets',
  group: 'agent',
  summary: 'list the secrets found in this session',
  run({ engine }) {
    const rows = engine.services.secrets.list();
    if (rows.length === 0) return 'no secrets found in this session so far';
    const width = Math.max(...rows.map(({ handle }) => handle.length));
    const lines = rows.map(
      ({ handle, kind, where }) => `${handle.padEnd(width)}  ${kind}${where === '' ? '' : `, first in ${where}`}`,
    );
    return [
      ...lines,
      'the session and its journal hold only these handles; a remote model sees the handles, your screen shows the values',
    ].join('\n');
  },
};
