/** Questions and running programs in plain sentences, for the mode that only writes lines. Pure. */

import type { FleetRow } from '../../contracts/fleet.ts';
import type { Answer } from '../../session/event.ts';
import type { Question } from '../../session/question.ts';
import { plainText } from '../../text/sanitize.ts';
import type { TreeLine } from '../screen/halt/arguments.ts';
import type { Choice } from '../screen/halt/choice.ts';
import { type Danger, unmarked } from '../screen/halt/danger.ts';
import { GUTTER, wholePlace } from '../screen/halt/layout.ts';
import { diffRows, trialRows } from '../screen/halt/trial.ts';
import { wordsOf } from '../screen/halt/words.ts';

/** An answer that needs no field to be written in. */
type PlainChoice = Choice & { readonly answer: Exclude<Choice['answer'], 'note' | 'edit'> };

function isPlain(choice: Choice): choice is PlainChoice {
  return choice.answer !== 'note' && choice.answer !== 'edit';
}

/** What can be answered here: a form has fields to fill in, for which the full screen is needed. */
function choicesOf(question: Question): readonly PlainChoice[] {
  const choices = wordsOf(question).choices.filter(isPlain);
  return question.kind === 'form' ? choices.filter(({ answer }) => answer !== 'proceed') : choices;
}

/** The whole question, one line for each fact, the dangerous parts numbered, the answers last. Every line of a command is marked. */
export function questionLines(question: Question): readonly string[] {
  const words = wordsOf(question, { whole: true });
  const { chip, title, reasons, notes, dangers, action, tree, claims, impact } = words;
  const place = wholePlace(words.place);
  const answers = choicesOf(question).map(({ label }) => label);
  const command = unmarked(action).split('\n');
  return [
    `Question: ${[chip, title].filter(Boolean).join(' · ')}`,
    ...dangers.map((danger, index) => `${index + 1}. ${sentenceOf(danger)}`),
    ...reasons,
    ...notes,
    ...(action === '' ? [] : command.map((line, index) => `${index === 0 ? 'Command: ' : GUTTER}${line}`)),
    ...treeLines(question, tree, place),
    ...claims,
    ...impact.map((line) => `At stake: ${line}`),
    ...(place === '' ? [] : [place]),
    `Answer with a whole word: ${answers.join(', ')}.${question.kind === 'fleet' && question.hosts.length > 1 ? ' Or name some of the hosts, to be asked about them alone: only a,b' : ''}`,
  ];
}

/** Arguments as they stand; what a trial would change as numbered sentences, its diff behind a mark. */
function treeLines(question: Question, tree: readonly TreeLine[], place: string): readonly string[] {
  const trial = question.kind === 'halt' ? question.trial : undefined;
  if (!trial) return tree.map(({ text }) => (place === '' ? text : GUTTER + unmarked(text)));
  const rows = question.kind === 'halt' ? trialRows(trial, question.cwd) : [];
  return [
    ...rows.map(({ text }, index) => `${index + 1}. ${text}.`),
    ...diffRows(trial, true).map(({ text }) => GUTTER + text),
  ];
}

function sentenceOf({ verb, part, impact, undoable }: Danger): string {
  const words = unmarked(part).replaceAll('\n', '⟨U+000A⟩');
  const undo = undoable === undefined ? '' : undoable ? ' Undoable.' : ' Not undoable.';
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${words === '' ? '' : `: ${words}`}.${impact.map((line) => ` ${line}.`).join('')}${undo}`;
}

/** The answer that a typed line is; a whole word, since a letter is typed too easily. */
export function answerOf(question: Question, line: string): Answer | undefined {
  const text = line.trim();
  const some = question.kind === 'fleet' && question.hosts.length > 1 ? SOME.exec(text)?.[1] : undefined;
  if (some !== undefined) return { kind: 'edit', command: some };
  const found = choicesOf(question).find(({ label }) => label.toLowerCase() === text.toLowerCase());
  return found && { kind: found.answer };
}

/** Of the hosts of a question these, to be asked about by themselves. */
const SOME = /^only\s+(\S.*)$/i;

/** How far a fleet is, for each host that has ended since the last time. */
export function fleetSentences(rows: readonly FleetRow[], told: ReadonlySet<string>): readonly string[] {
  const ended = rows.filter((row) => row.ended);
  const fresh = ended.filter(({ host }) => !told.has(host));
  return fresh.map(({ host, status, reason }, at) => {
    const count = `${ended.length - fresh.length + at + 1} of ${rows.length} have ended`;
    return `${host}: ${status}${reason === '' ? '' : `, ${plainText(reason)}`} (${count}).`;
  });
}

/** What a program that waits is asking. */
export function askingLine(prompt: string, asker: string | undefined, hidden: boolean): string {
  const what = plainText(prompt).trim();
  const who = asker === undefined ? 'The program' : asker;
  return `${who} waits for input${what === '' ? '' : `: ${what}`}${hidden ? ' (what you type is not shown)' : ''}`;
}
