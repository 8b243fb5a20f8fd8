/** What a command left that the user decides on, as the lines of a question. Names and contents are hostile. Pure. */
import type { Review } from '../session/review.ts';
import type { TreeLine } from './argument-tree.ts';
import { oneLine } from './danger.ts';
import { diffLines } from './trial.ts';

type ReviewChoice = { readonly answer: 'proceed' | 'skip' | 'abort'; readonly key: string; readonly label: string };

const ABORT: ReviewChoice = { answer: 'abort', key: 'a', label: 'abort' };

const CHOICES: Readonly<Record<Review['about'], readonly ReviewChoice[]>> = {
  later: [{ answer: 'proceed', key: 'p', label: 'accept' }, { answer: 'skip', key: 's', label: 'refuse' }, ABORT],
  room: [{ answer: 'proceed', key: 'p', label: 'forget' }, { answer: 'skip', key: 's', label: 'leave' }, ABORT],
};

/** Title, reasons, lines and answers. */
export function reviewParts({ about, command, items, diff }: Review) {
  const listed = items.map((item): TreeLine => ({ text: oneLine(item), indent: '    ' }));
  const later = about === 'later';
  return {
    title: later ? 'Set aside: others would run this' : 'No room to keep what was there',
    reasons: [
      `By: ${oneLine(command)}`,
      later
        ? 'accept puts it into the project; refuse leaves it out, and :undo can still bring it.'
        : 'The command was told that the disk is full. forget gives up what older actions kept.',
    ],
    tree: [...listed, ...diffLines(diff)],
    choices: CHOICES[about],
    place: later ? 'out of the project until you accept it' : 'nothing else goes',
  };
}
