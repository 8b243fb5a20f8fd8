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
  start: [
    { answer: 'skip', key: 's', label: 'leave', does: 'does not start it' },
    { answer: 'proceed', key: 'p', label: 'start', does: 'starts it, outside the sandbox', harmful: true },
    ABORT,
  ],
  room: [
    { answer: 'skip', key: 's', label: 'leave', does: 'keeps everything; the command stays refused' },
    { answer: 'proceed', key: 'p', label: 'forget', does: 'gives up what older actions kept', harmful: true },
    ABORT,
  ],
};

const WORDS: Readonly<Record<Review['about'], Record<'chip' | 'title' | 'by' | 'reason' | 'under', string>>> = {
  later: {
    chip: 'SET ASIDE',
    title: 'others would run this',
    by: 'By',
    reason: 'accept puts it into the project; refuse leaves it out, and :undo can still bring it.',
    under: 'out of the project until you accept it',
  },
  start: {
    chip: 'START?',
    title: 'a model changed these files',
    by: 'To start',
    reason: 'It may run them, with your rights. Look at them before you say start.',
    under: 'not started until you say so',
  },
  room: {
    chip: 'NO ROOM',
    title: 'to keep what was there',
    by: 'By',
    reason: 'The command was told that the disk is full. forget gives up what older actions kept.',
    under: 'nothing else goes',
  },
};

/** Title, reasons, lines and answers. */
export function reviewParts({ about, command, items, diff }: Review) {
  const listed = items.map((item): TreeLine => ({ text: nameText(item), indent: '    ' }));
  const { chip, title, by, reason, under } = WORDS[about];
  return {
    chip,
    title,
    reasons: [`${by}: ${oneLine(command)}`, reason],
    tree: [...listed, ...diffLines(diff)],
    choices: CHOICES[about],
    place: { path: '', under },
  };
}
