import { MODES } from '../session/ids.ts';
import { type Command, CommandError } from './command.ts';

/** What each mode lets the model do. */
const MEANS = {
  restricted: 'restricted: the model can read, not write',
  project: "project: the model can write in this project's tree and nowhere else, without the network",
  unrestricted: 'unrestricted: the model can write',
} as const;

const NOTES = {
  restricted: 'only read',
  project: 'write in this tree, no network',
  unrestricted: 'also write',
} as const;

/** `:mode` shows it, `:mode restricted|project|unrestricted` changes it (MO-4, MO-9). */
export const mode: Command = {
  name: 'mode',
  usage: ':mode [restricted | project | unrestricted]',
  group: 'agent',
  summary: 'show or change what the model may do',
  forms: [
    [':mode restricted', 'it reads; it writes nothing and has no network'],
    [':mode project', 'it writes in this tree only, without the network; :undo takes it back'],
    [':mode unrestricted', 'it does anything; what destroys still asks'],
  ],
  arguments: () => MODES.map((word) => ({ word, note: NOTES[word] })),
  run({ engine }, rest) {
    if (rest === '') return MEANS[engine.conversation.mode];
    const chosen = MODES.find((word) => word === rest);
    if (chosen === undefined) throw new CommandError('use :mode restricted, :mode project or :mode unrestricted');
    if (chosen === engine.conversation.mode) return `already ${MEANS[chosen]}`;
    void engine.dispatch({ type: 'modeChosen', mode: chosen });
    return undefined;
  },
};
