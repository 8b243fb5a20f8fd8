/** What a command left that the user decides on, as the lines of a question. Names and contents are hostile. Pure. */
import type { Review } from '../../../session/review.ts';
import { nameText } from '../../../text/spelled.ts';
import type { TreeLine } from './arguments.ts';
import type { Choice } from './choice.ts';
import { oneLine } from './danger.ts';
import { diffLines } from './trial.ts';

const ABORT: Choice = { answer: 'abort', key: 'a', label: 'abort', does: 'refuses it, and ends the run' };

const CHOICES: Readonly<Record<Review['about'], readonly Choice[]>> = {
  later: [
    { answer: 'skip', key: 's', label: 'refuse', does: 'leaves it out; :undo can still bring it' },
    { answer: 'proceed', key: 'p', label: 'accept', does: 'puts it into the project', harmful: true },
    ABORT,
  ],
  room: [
    { answer: 'skip', key: 's', label: 'leave', does: 'keeps everything; the command stays refused' },
    { answer: 'proceed', key: 'p', label: 'forget', does: 'gives up what older actions kept', harmful: true },
    ABORT,
  ],
};

/** Title, reasons, lines and answers. */
export function reviewParts({ about, command, items, diff }: Review) {
  const listed = items.map((item): TreeLine => ({ text: nameText(item), indent: '    ' }));
  const later = about === 'later';
  return {
    chip: later ? 'SET ASIDE' : 'NO ROOM',
    title: later ? 'others would run this' : 'to keep what was there',
    reasons: [
      `By: ${oneLine(command)}`,
      later
        ? 'accept puts it into the project; refuse leaves it out, and :undo can still bring it.'
        : 'The command was told that the disk is full. forget gives up what older actions kept.',
    ],
    tree: [...listed, ...diffLines(diff)],
    choices: CHOICES[about],
    place: { path: '', under: later ? 'out of the project until you accept it' : 'nothing else goes' },
  };
}
