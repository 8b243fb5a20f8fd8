import { type Finding, type Judgement, plainReason } from '../session/action.ts';
import { CONSENT, effectOf } from '../session/consent.ts';
import type { Conversation } from '../session/state.ts';
import { visible } from '../text/sanitize.ts';
import { type Command, CommandError } from './command.ts';

/** `:safety patterns` and `:safety check <cmd>` (SF-8). */
export const safety: Command = {
  name: 'safety',
  usage: ':safety patterns | check <command>',
  group: 'agent',
  summary: 'list the rules, or check a command',
  forms: [
    [':safety patterns', 'list the rules'],
    [':safety check rm -r x', 'say whether you would be asked; nothing runs'],
  ],
  arguments: (_aish, before) =>
    before.length > 0
      ? []
      : [
          { word: 'patterns', note: 'list the rules' },
          { word: 'check', note: 'check a command' },
        ],
  shellBehind: /^check\s+/,
  stops: () => true,
  async run({ safety: desk, engine }, rest, signal) {
    const [word = '', ...words] = rest.split(' ');
    if (word === 'patterns') {
      return desk
        .patterns()
        .map((rule) => `${rule.family.padEnd(14)} ${rule.name.padEnd(28)} ${rule.reason}`)
        .join('\n');
    }
    const command = words.join(' ').trim();
    if (word !== 'check' || command === '') throw new CommandError('use :safety patterns or :safety check <command>');
    const checked = desk.check(command, engine.shellCwd);
    const { verdict, rule } = checked;
    const judgement = await desk.judge(command, engine.shellCwd, signal);
    return [
      `${verdict}: ${plainReason(checked)}${rule === undefined ? '' : ` (rule: ${rule})`}`,
      `  ${visible(command)}`,
      ...dangerLines(command, judgement.findings ?? []),
      ...(verdict === 'unknown' || judgement.destructive !== (verdict === 'destructive') ? [judgement.reason] : []),
      wouldHappen(judgement, engine.conversation),
    ].join('\n');
  },
};

/** Lists several dangers, each with its part of the command; irreversible ones come first. */
export function dangerLines(command: string, findings: readonly Finding[]): readonly string[] {
  if (findings.length < 2) return [];
  return findings.map(
    ({ verb, part, undoable }) =>
      `  ${verb}: ${visible(command.slice(...part))}${undoable === false ? ' (:undo can’t bring it back)' : ''}`,
  );
}

/** Describes what would happen if the model wanted to run it now (AC-3, NO-5). */
function wouldHappen(judgement: Judgement, { mode, settings }: Conversation): string {
  const limits = mode === 'restricted' ? '; the kernel sandbox would let it change nothing' : '';
  const consent = CONSENT[mode][effectOf({ kind: 'command', command: '', job: false }, judgement, mode)];
  if (consent === 'halt') return `from a model: HALT, you would decide${limits}`;
  if (consent === 'ask') return `from a model: you would be asked first${limits}`;
  if (consent === 'run' && settings.confirmCmd !== true)
    return `from a model: it would run without a question, in chat as in a run${limits}`;
  const chat = settings.confirmCmd ? 'in chat you would be asked first' : 'in chat a CMD: line would run as well';
  return `from a model: in a Norris run it would run without a question, ${chat}${limits}`;
}

/** `:secrets`: lists the hidden secrets by handle; never a value (SE-2). */
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
