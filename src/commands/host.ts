import type { HostRow } from '../contracts/machine.ts';
import { directoryAt, hostOf } from '../session/place.ts';
import { messageOf } from '../text/errors.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';
import { fleetTable, namesOf } from './fleet-table.ts';

/** `:host`: works on other machines, over ssh with its own configuration. */
export const host: Command = {
  name: 'host',
  usage: ':host [name | - | forget name | trust name | launcher [name]]',
  group: 'shell',
  summary: 'work on another machine over ssh',
  forms: [
    [':host', 'list the hosts'],
    [':host web1', 'run your lines and the model’s commands there'],
    [':host -', 'return to this machine; the connection stays'],
    [':host forget web1', 'disconnect and remove aish-tui’s files there'],
    [':host launcher', 'install the sandbox there (enables Restricted and :undo)'],
    [':host trust web1', 'let secrets of this machine go there until aish-tui ends'],
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
        return `secrets of this machine may go to ${name} now, until aish-tui ends`;
      }
      if (word === 'forget' || word === 'trust') throw new CommandError(`which host? :host lists them`);
      await enter(app, word);
    } catch (error) {
      throw new CommandError(messageOf(error));
    }
    return undefined;
  },
};

/** Shows ssh's questions in a frame that ends with the connection's result. */
async function enter({ hosts, shell }: App, name: string): Promise<void> {
  await hosts.enter(name, (master) => shell.show(`ssh ${name}`, () => master));
}

function rowOf({ name, state, place, current }: HostRow): string {
  return `${current ? '→' : ' '} ${name.padEnd(16)}  ${state.padEnd(10)}  ${place ?? ''}`.trimEnd();
}

/** `:adopt` (EX-11): moves the user's shell to the agent's directory. */
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
    // The change of directory is submitted like any line: queued and visible. Neither CDPATH nor an alias can redirect
    // it.
    void shell.submit(`\\builtin cd -- '${directoryAt(cwd).replaceAll("'", "'\\''")}'`);
    return undefined;
  },
};

const FORM = ':fleet GOAL on web1,web2,@group';
/** `on` may also occur in the goal: the last one counts, followed only by names. */
const WISH = /^([\s\S]*\S)\s+on\s+([^\s,]+(?:\s*,\s*[^\s,]+)*)(?:\s+canary\s+(\S+))?(?:\s+via\s+(ansible))?$/;

/** `:fleet`: runs one goal on many machines, each in its own conversation. */
export const fleet: Command = {
  name: 'fleet',
  usage: `:fleet [${FORM.slice(7)} | stop | resume]`,
  group: 'agent',
  summary: 'one goal on many machines; same question asked once',
  forms: [
    [':fleet update curl on web1,web2,@db', 'start on ssh names, groups, docker:NAME, k8s:NS/POD'],
    [':fleet update curl on @web canary web3', 'web3 goes first; if it fails, the rest do not start'],
    [':fleet update curl on @all via ansible', 'same commands go to many hosts in one Ansible call'],
    [':fleet', 'show the progress'],
    [':fleet stop', 'end it'],
    [':fleet resume', 'continue the fleet of this session after a restart'],
  ],
  async arguments({ fleet: { run }, hosts }, before) {
    const last = before.at(-1);
    if (last === 'on' || last === 'canary') return hosts.names();
    if (before.length > 0) return ['on'];
    return run ? ['stop'] : ['resume'];
  },
  async run(app, rest) {
    const { fleet: desk } = app;
    if (rest === '')
      return desk.run ? fleetTable(desk.run.rows()).join('\n') : `no fleet is at work; ${FORM} begins one`;
    if (rest === 'stop') return desk.stop() ? undefined : 'no fleet is running';
    if (rest === 'resume') return startedText(app, await desk.resume());
    const [, goal = '', hosts = '', canary, via] = WISH.exec(rest) ?? [];
    if (goal === '') throw new CommandError(`name a goal and hosts: ${FORM}`);
    const wish = {
      ...{ goal, hosts: hosts.replace(/\s+/g, '') },
      ...(canary === undefined ? {} : { canary }),
      ...(via === undefined ? {} : { via: 'ansible' as const }),
    };
    return startedText(app, await desk.start(wish));
  },
};

function startedText({ screen }: App, run: Awaited<ReturnType<App['fleet']['start']>>): string {
  const names = namesOf(run.rows().map(({ host }) => host));
  return `${names}; ${screen ? 'Ctrl-X Ctrl-C' : ':fleet stop'} ends it`;
}
