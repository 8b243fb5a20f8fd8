import { type Command, CommandError } from './command.ts';

/** `:undo` (TO-3). */
export const undo: Command = {
  name: 'undo',
  usage: ':undo',
  summary: "undo the model's last patch, if the file has not changed since",
  async run(app) {
    const { ok, text } = await app.undo();
    if (!ok) throw new CommandError(text);
    return text;
  },
};
