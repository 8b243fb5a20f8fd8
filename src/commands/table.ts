/** THE table of `:` commands (CF-2). Help, completion and docs are made from it. */

import { adopt } from './adopt.ts';
import type { App } from './app.ts';
import type { Command } from './command.ts';
import { history, reset, sessions } from './conversation.ts';
import { cost } from './cost.ts';
import { bg, fg, jobs, kill } from './jobs.ts';
import { last } from './last.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { mode } from './mode.ts';
import { model } from './model.ts';
import { norris } from './norris.ts';
import { safety } from './safety.ts';
import { clear, keys, theme } from './screen.ts';
import { secrets } from './secrets.ts';
import { undo } from './undo.ts';

const help: Command = {
  name: 'help',
  usage: ':help',
  summary: 'this list; F1 and :keys show the keys',
  run: () => commands.map((command) => `${command.usage.padEnd(40)} ${command.summary}`).join('\n'),
};

const doctor: Command = {
  name: 'doctor',
  usage: ':doctor',
  summary: 'check what works here: Node, shell, models, kernel sandbox',
  stops: () => true,
  run: async (app) => (await app.doctor()).join('\n'),
};

const quit: Command = {
  name: 'quit',
  usage: ':quit',
  summary: 'leave; the session can be resumed',
  run(app: App) {
    app.quit();
    return undefined;
  },
};

export const commands: readonly Command[] = [
  help,
  model,
  norris,
  mode,
  mcp,
  safety,
  jobs,
  bg,
  fg,
  kill,
  adopt,
  undo,
  cost,
  history,
  reset,
  sessions,
  memory,
  secrets,
  doctor,
  clear,
  last,
  keys,
  theme,
  quit,
];
