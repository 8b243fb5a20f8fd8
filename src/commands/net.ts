import type { Command } from './command.ts';
import { CommandError } from './command.ts';

/** `:net` (MO-10): what commands in Project mode may connect to. */
export const net: Command = {
  name: 'net',
  usage: ':net [HOST[:PORT] | -HOST[:PORT]]',
  group: 'agent',
  summary: 'what commands in Project may connect to',
  forms: [
    [':net', 'list what is allowed and refused'],
    [':net example.com:8443', 'allow it for this session; without a port 443 and 80'],
    [':net -example.com:443', 'take it back: it is asked about again'],
  ],
  async run({ network }, rest) {
    const word = rest.trim();
    if (word === '') {
      const rows = network.list().map(([name, allowed]) => `${allowed ? 'allowed' : 'refused'}  ${name}`);
      return rows.join('\n') || 'nothing is allowed yet: Project asks when a program connects';
    }
    const back = word.startsWith('-');
    const done = network.setNamed(back ? word.slice(1) : word, back ? undefined : true);
    if (done === undefined) throw new CommandError(`${word}: use :net HOST or :net HOST:PORT`);
    return `${done} ${back ? 'is asked about again' : 'is allowed for this session'}`;
  },
};
