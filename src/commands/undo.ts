import { type Command, CommandError } from './command.ts';

/** `:undo` (TO-3). */
export const undo: Command = {
  name: 'undo',
  usage: ':undo',
  summary: 'take back the last patch of the model, while the file is unchanged since',
  async run(app) {
    const { ok, text } = await app.undo();
    if (!ok) throw new CommandError(text);
    return text;
  },
};
