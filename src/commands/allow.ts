import { allowedIn, OUTSIDE, READS } from '../session/grants.ts';
import type { App } from './app.ts';
import { type Argument, type Command, CommandError } from './command.ts';

const KEEP = /^keep\s+/;
const LEAVE = /^leave\s+(\S+)$/;

/** `:allow` (AC-7): lists and edits the commands that run without further questions. */
export const allow: Command = {
  name: 'allow',
  usage: ':allow [COMMAND | -COMMAND | keep COMMAND]',
  group: 'agent',
  summary: 'list or change the commands that run without a question',
  forms: [
    [':allow', 'list what is allowed'],
    [':allow npm test', 'allow it for this session, as P in a question does'],
    [':allow keep npm test', 'allow it for this project, in your configuration'],
    [':allow leave github.com/me/tool', 'let commands push, publish or send there'],
    [':allow -npm test', 'ask about it again'],
  ],
  arguments: (app, before) => (before.length === 0 ? offered(app) : []),
  run(app, rest) {
    const { engine } = app;
    const { session, kept, tools, reads, outside, leaving } = allowedIn(engine.state);
    const words = rest.trim().replace(/\s+/g, ' ');
    if (words === '') {
      const lines = [
        ...kept.map((rule) => `kept for this project  ${rule}`),
        ...session.filter((rule) => !kept.includes(rule)).map((rule) => `this session  ${rule}`),
        ...tools.map((tool) => `this session  ${tool}, as long as its definition stays the same`),
        ...leaving.map(
          ({ to, allowed, run }) => `this ${run ? 'run' : 'session'}  ${allowed ? '' : 'not '}leave ${to}`,
        ),
        ...(reads ? [`this session  ${READS}: commands that only read`] : []),
        ...(outside ? [`this session  ${OUTSIDE}: Unrestricted without the light sandbox`] : []),
      ];
      return lines.join('\n') || 'nothing is allowed yet: P in a question allows its program and subcommand';
    }
    const set = (rule: string, allowed: boolean) => void engine.dispatch({ type: 'ruleSet', rule, allowed });
    if (words.startsWith('-')) {
      const rule = words.slice(1).trim();
      const receiver = LEAVE.exec(rule)?.[1];
      if (leaving.some(({ to }) => to === receiver)) {
        void engine.dispatch({ type: 'leaveSet', to: receiver ?? '', allowed: false });
        return `asked about again: ${rule}`;
      }
      if (![...session, ...kept, ...tools, ...(reads ? [READS] : []), ...(outside ? [OUTSIDE] : [])].includes(rule))
        throw new CommandError(`${rule} is not allowed; :allow lists what is`);
      set(rule, false);
      return app.rules.drop(rule);
    }
    const receiver = LEAVE.exec(words)?.[1];
    if (receiver !== undefined) {
      void engine.dispatch({ type: 'leaveSet', to: receiver, allowed: true });
      return `sending to ${receiver} is allowed in this session`;
    }
    const command = words.replace(KEEP, '');
    const rule = app.safety.ruleFor(command, engine.conversation.cwd);
    if (rule === undefined)
      throw new CommandError(
        `no rule can allow ${command}: name a program and its subcommand, and no program that runs others`,
      );
    set(rule, true);
    return KEEP.test(words) ? app.rules.keep(rule) : undefined;
  },
};

/** Rules that can be revoked or saved. */
function offered({ engine }: App): readonly Argument[] {
  const { session, kept } = allowedIn(engine.state);
  return [
    ...[...new Set([...session, ...kept])].map((rule) => ({ word: `-${rule}`, note: 'ask about it again' })),
    ...session
      .filter((rule) => !kept.includes(rule))
      .map((rule) => ({ word: `keep ${rule}`, note: 'for this project' })),
  ];
}
