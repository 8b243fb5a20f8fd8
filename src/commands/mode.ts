import { type Command, CommandError } from './command.ts';

/** `:mode` shows it, `:mode restricted|unrestricted` changes it (MO-4). */
export const mode: Command = {
  name: 'mode',
  usage: ':mode [restricted | unrestricted]',
  summary: 'show or change what the model may do: only read, in the kernel sandbox, or also write',
  arguments: () => [
    { word: 'restricted', note: 'only read' },
    { word: 'unrestricted', note: 'also write' },
  ],
  run({ engine }, rest) {
    const now = engine.conversation.mode;
    if (rest === '')
      return now === 'restricted' ? 'restricted: the model can read, not write' : 'unrestricted: the model can write';
    if (rest !== 'restricted' && rest !== 'unrestricted')
      throw new CommandError('use :mode restricted or :mode unrestricted');
    void engine.dispatch({ type: 'modeChosen', mode: rest });
    return undefined;
  },
};
