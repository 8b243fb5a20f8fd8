/** The table of all `:` commands (CF-2). Help, completion and docs are generated from it. */

import { allow } from './allow.ts';
import type { App } from './app.ts';
import { COMMAND_GROUPS, type Command, CommandError } from './command.ts';
import { compact, history, memory, reset, sessions } from './conversation.ts';
import { cost } from './cost.ts';
import { copy, exportTo } from './export.ts';
import { adopt, fleet, host } from './host.ts';

import { bg, fg, jobs, kill } from './jobs.ts';
import { last } from './last.ts';
import { mcp } from './mcp.ts';

import { mode, net, norris } from './mode.ts';
import { model } from './model.ts';

import { safety, secrets } from './safety.ts';
import { clear, keys, theme } from './screen.ts';

import { setup } from './setup.ts';
import { rewind, undo } from './undo.ts';

const help: Command = {
  name: 'help',
  usage: ':help [command]',
  group: 'screen',
  summary: 'list the commands',
  forms: [[':help undo', 'explain one command']],
  arguments: (_app, before) => (before.length === 0 ? commands.map(({ name }) => name) : []),
  run(_app, rest) {
    if (rest === '') return [...helpOnAll(), '', 'F1 and :keys show the keys.'].join('\n');
    const command = commands.find(({ name }) => name === rest.replace(/^:/, ''));
    if (!command) throw new CommandError(`no command ${rest}: :help lists them`);
    return helpOn(command).join('\n');
  },
};

const NAME_COLUMN = 12;

/** Lists every command in one line, by group. */
function helpOnAll(): readonly string[] {
  return Object.entries(COMMAND_GROUPS).flatMap(([group, title], index) => [
    ...(index > 0 ? [''] : []),
    title,
    ...commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => `  ${`:${name}`.padEnd(NAME_COLUMN)}${summary}`),
  ]);
}

/** Describes one command: its syntax, and each of its forms. */
function helpOn({ usage, summary, forms = [] }: Command): readonly string[] {
  const column = Math.max(0, ...forms.map(([form]) => form.length)) + 3;
  return [usage, `  ${summary}`, ...forms.map(([form, meaning]) => `  ${form.padEnd(column)}${meaning}`)];
}

const doctor: Command = {
  name: 'doctor',
  usage: ':doctor',
  group: 'screen',
  summary: 'check what works here',
  stops: () => true,
  run: async (app) => (await app.doctor()).join('\n'),
};

const quit: Command = {
  name: 'quit',
  usage: ':quit',
  group: 'screen',
  summary: 'leave; you can resume the session later',
  run(app: App) {
    app.quit();
    return undefined;
  },
};

export const commands: readonly Command[] = [
  help,
  model,
  setup,
  norris,
  fleet,
  mode,
  net,
  allow,
  mcp,
  safety,
  jobs,
  bg,
  fg,
  kill,
  host,
  adopt,
  undo,
  cost,
  history,
  rewind,
  reset,
  compact,
  sessions,
  memory,
  secrets,
  doctor,
  clear,
  last,
  copy,
  exportTo,
  keys,
  theme,
  quit,
];
