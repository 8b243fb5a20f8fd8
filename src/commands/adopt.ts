import { directoryAt, hostOf } from '../session/place.ts';
import { type Command, CommandError } from './command.ts';

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
