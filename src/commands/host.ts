import type { HostRow } from '../contracts/machine.ts';
import { directoryAt, hostOf } from '../session/place.ts';
import { messageOf } from '../text/errors.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

/** `:host`: other machines, over ssh as it is configured. */
export const host: Command = {
  name: 'host',
  usage: ':host [name | - | forget name | trust name | launcher [name]]',
  group: 'shell',
  summary: 'work on another machine over ssh',
  forms: [
    [':host', 'list the hosts'],
    [':host web1', 'your lines and the model’s commands go there'],
    [':host -', 'back to this machine; the connection stays'],
    [':host forget web1', 'end the connection and remove what lies there'],
    [':host launcher', 'put the sandbox launcher there: Restricted and :undo work then'],
    [':host trust web1', 'let secrets of this machine go there, until the program ends'],
  ],
  async arguments({ hosts }, before) {
    const known = hosts.list().map(({ name, state }) => ({ word: name, note: state }));
    if (before.length > 0) return known;
    const names = (await hosts.names()).filter((name) => !known.some(({ word }) => word === name));
    return [...known, ...names, '-', 'forget', 'launcher', 'trust'];
  },
  async run(app, rest) {
    const { hosts } = app;
    const words = rest.split(/\s+/);
    const yes = words.length > 1 && words.at(-1) === 'yes';
    const [word = '', name] = yes ? words.slice(0, -1) : words;
    if (word === '') return hosts.list().map(rowOf).join('\n') || 'no hosts; :host NAME connects to one';
    try {
      if (word === '-') return hosts.leave();
      if (word === 'forget' && name) return (await hosts.forget(name, yes)).join('\n');
      if (word === 'launcher') return await hosts.launcher(name, yes);
      if (word === 'trust' && name) {
        hosts.trust(name);
        return `secrets of this machine may go to ${name} now, until the program ends`;
      }
      if (word === 'forget' || word === 'trust') throw new CommandError(`which host? :host lists them`);
      await enter(app, word);
    } catch (error) {
      throw new CommandError(messageOf(error));
    }
    return undefined;
  },
};

/** What ssh asks is asked in a frame of its own, which ends with the answer. */
async function enter({ hosts, shell }: App, name: string): Promise<void> {
  await hosts.enter(name, (master) => shell.show(`ssh ${name}`, () => master));
}

function rowOf({ name, state, place, current }: HostRow): string {
  return `${current ? '→' : ' '} ${name.padEnd(16)}  ${state.padEnd(10)}  ${place ?? ''}`.trimEnd();
}

/** `:adopt` (EX-11): the user's shell goes where the agent is. */
export const adopt: Command = {
  name: 'adopt',
  usage: ':adopt',
  group: 'shell',
  summary: "move your shell to the model's directory",
  run({ engine, shell }) {
    const cwd = engine.services.secrets.reveal(engine.conversation.cwd);
    if (cwd === engine.shellCwd) throw new CommandError(`your shell is already there: ${cwd}`);
    if (hostOf(cwd) !== hostOf(engine.shellCwd))
      throw new CommandError(`the model is on another machine than your shell: ${cwd}; :host goes there`);
    // A line like any other: it is queued and visible, and neither CDPATH nor an alias can redirect it.
    void shell.submit(`\\builtin cd -- '${directoryAt(cwd).replaceAll("'", "'\\''")}'`);
    return undefined;
  },
};
