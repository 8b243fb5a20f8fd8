import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';
import { fleetTable, namesOf } from './fleet-table.ts';

const FORM = ':fleet GOAL on web1,web2,@group';
/** `on` stands in goals too: the last one counts, with nothing behind it but names. */
const WISH = /^([\s\S]*\S)\s+on\s+([^\s,]+(?:\s*,\s*[^\s,]+)*)(?:\s+canary\s+(\S+))?(?:\s+via\s+(ansible))?$/;

/** `:fleet`: one goal on many machines, each in a conversation of its own. */
export const fleet: Command = {
  name: 'fleet',
  usage: `:fleet [${FORM.slice(7)} | stop | resume]`,
  group: 'agent',
  summary: 'one goal on many machines, equal questions asked once',
  forms: [
    [':fleet update curl on web1,web2,@db', 'begin: names that ssh knows, groups, docker:NAME, k8s:NS/POD'],
    [':fleet update curl on @web canary web3', 'this one goes first; its failure stops the rest'],
    [':fleet update curl on @all via ansible', 'equal commands go to many hosts in one call of Ansible'],
    [':fleet', 'how far it is'],
    [':fleet stop', 'end it'],
    [':fleet resume', 'go on with what a closed program began in this session'],
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
    if (rest === 'stop') return desk.stop() ? undefined : 'no fleet is at work';
    if (rest === 'resume') return begun(app, await desk.resume());
    const [, goal = '', hosts = '', canary, via] = WISH.exec(rest) ?? [];
    if (goal === '') throw new CommandError(`name a goal and hosts: ${FORM}`);
    const wish = {
      ...{ goal, hosts: hosts.replace(/\s+/g, '') },
      ...(canary === undefined ? {} : { canary }),
      ...(via === undefined ? {} : { via: 'ansible' as const }),
    };
    return begun(app, await desk.start(wish));
  },
};

function begun({ screen }: App, run: Awaited<ReturnType<App['fleet']['start']>>): string {
  const names = namesOf(run.rows().map(({ host }) => host));
  return `${names}; ${screen ? 'Ctrl-X Ctrl-C' : ':fleet stop'} ends it`;
}
