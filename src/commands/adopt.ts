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
    // A line like any other: it is queued and visible, and neither CDPATH nor an alias can redirect it.
    void shell.submit(`\\builtin cd -- '${cwd.replaceAll("'", "'\\''")}'`);
    return undefined;
  },
};
