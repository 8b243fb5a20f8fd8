import { visible } from '../text/sanitize.ts';
import { type Command, CommandError } from './command.ts';

/** `:safety patterns` and `:safety check <cmd>` (SF-8). */
export const safety: Command = {
  name: 'safety',
  usage: ':safety patterns | check <command>',
  summary: 'list the rules in force, or judge a command without running it',
  arguments: (_aish, before) =>
    before.length > 0
      ? []
      : [
          { word: 'patterns', note: 'the rules in force' },
          { word: 'check', note: 'judge a command' },
        ],
  shellBehind: /^check\s+/,
  run({ safety: desk, engine }, rest) {
    const [word = '', ...words] = rest.split(' ');
    if (word === 'patterns') {
      return desk
        .patterns()
        .map((rule) => `${rule.family.padEnd(14)} ${rule.name.padEnd(28)} ${rule.reason}`)
        .join('\n');
    }
    const command = words.join(' ').trim();
    if (word !== 'check' || command === '') throw new CommandError('use :safety patterns or :safety check <command>');
    const { verdict, rule, reason } = desk.check(command, engine.shellCwd);
    return `${verdict}: ${rule === undefined || rule === reason ? reason : `${rule} (${reason})`}\n  ${visible(command)}`;
  },
};
