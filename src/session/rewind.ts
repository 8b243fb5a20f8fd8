/** Returns to an earlier question. Later turns are kept as a branch that the user can return to (CX-8). Pure. */

import type { Of } from './event.ts';
import { tokensFrom } from './evict.ts';
import { MODES, type Mode } from './ids.ts';
import { modeNotice } from './mode.ts';
import type { AskedTurn, Branch, Conversation } from './state.ts';
import type { Transition } from './transition.ts';

const NOT_NOW = '[aish] not during a run; Ctrl-X Ctrl-C ends it';
const CHANGED =
  '[aish] the user went to another point of the conversation. Files are not as they were then: look before you rely on them.';
const MAX_NAME_CHARS = 60;

/** Notes that a question becomes the next turn. */
export function noteQuestion(next: Transition, question: Pick<AskedTurn, 'key' | 'text' | 'goal'>): void {
  const { asked = [], turns } = next.conversation;
  next.set({ asked: [...asked, { ...question, turn: turns.length, at: next.event.at }] });
}

/** Shortens a question to a few words. */
export function questionName({ text }: Pick<AskedTurn, 'text'>): string {
  const [line = ''] = text.trim().split('\n');
  return [...line].length > MAX_NAME_CHARS ? `${[...line].slice(0, MAX_NAME_CHARS - 1).join('')}…` : line;
}

/** Removes the question and everything after it from the conversation; its text returns to the prompt. */
export function rewind(next: Transition, { turn, undos = [], changed }: Of<'rewound'>): void {
  const { phase, asked = [], turns, preplans = [], evictedTurns = 0, summary, lastTasks } = next.conversation;
  if (phase.kind !== 'idle') return next.notice('warning', NOT_NOW);
  const question = asked.find((each) => each.turn === turn);
  if (!question) return next.notice('warning', '[aish] that question is not part of the conversation');
  const branches = withBranch(next.conversation, question, undos);
  // A summary that covers removed turns would reveal them.
  const isWhole = summary === undefined || summary.upTo <= turn;
  goToPoint(next, {
    turns: turns.slice(0, turn),
    asked: asked.filter((each) => each.turn < turn),
    preplans: preplans.filter(({ after }) => after <= turn),
    evictedTurns: isWhole && evictedTurns <= turn ? evictedTurns : 0,
    summary: isWhole ? summary : undefined,
    lastTasks: asked.some((each) => each.goal && each.turn >= turn) ? undefined : lastTasks,
  });
  next.set({ branches });
  if (changed) next.inbox({ kind: 'note', origin: 'aish', text: CHANGED });
  next.notice('info', `[aish] back before: ${questionName(question)}; :rewind back returns`);
  next.effect({ kind: 'giveBack', text: question.goal ? `:norris ${question.text}` : question.text });
}

/** Makes a branch the conversation again; the current continuation is kept as another branch. */
export function takeBranch(next: Transition, { branch: number, changed }: Of<'branchTaken'>): void {
  const { phase, asked = [], turns, branches = [] } = next.conversation;
  if (phase.kind !== 'idle') return next.notice('warning', NOT_NOW);
  const branch = branches.find((each) => each.number === number);
  if (!branch) return next.notice('warning', `[aish] there is no branch ${number}; :rewind lists them`);
  const { kept } = branch;
  const other = asked.find((each, index) => kept.asked?.[index]?.at !== each.at);
  const begin = other ?? (turns.length > branch.turn ? branch.question : undefined);
  const all = begin
    ? withBranch(next.conversation, { ...begin, turn: Math.min(begin.turn, turns.length) }, [])
    : branches;
  goToPoint(next, kept);
  next.set({ branches: all.filter((each) => each !== branch) });
  if (changed) next.inbox({ kind: 'note', origin: 'aish', text: CHANGED });
  next.notice('info', `[aish] back behind: ${questionName(branch.question)}`);
}

function withBranch(conversation: Conversation, question: AskedTurn, undos: readonly number[]): readonly Branch[] {
  const { branches = [], ...kept } = conversation;
  const number = Math.max(0, ...branches.map((branch) => branch.number)) + 1;
  return [...branches, { number, question, turn: question.turn, undos, kept }];
}

type Point = Pick<
  Conversation,
  'turns' | 'asked' | 'preplans' | 'evictedTurns' | 'summary' | 'toldCwd' | 'lastTasks' | 'lastGoal'
> & { readonly inbox?: Conversation['inbox'] };

/** Sets the conversation to this point. */
function goToPoint(next: Transition, point: Point): void {
  const { budget, mode, named } = next.conversation;
  const {
    turns,
    inbox = [],
    asked = [],
    preplans = [],
    evictedTurns = 0,
    summary,
    toldCwd,
    lastTasks,
    lastGoal,
  } = point;
  next.set({
    ...{ turns: [...turns], inbox, asked, preplans, evictedTurns, summary, toldCwd, lastTasks, repeats: undefined },
    ...(lastGoal === undefined ? {} : { lastGoal }),
    ...(budget ? { used: Math.ceil((budget.head + tokensFrom(turns, evictedTurns)) * budget.factor) } : {}),
  });
  const told = announcedMode(next.conversation) ?? named?.mode;
  if (told !== undefined && told !== mode) next.inbox({ kind: 'note', origin: 'aish', text: modeNotice(mode) });
}

/** Returns the last mode that the turns announced to the model. */
function announcedMode({ turns, inbox }: Conversation): Mode | undefined {
  const texts = [...turns.filter(({ kind }) => kind !== 'assistant'), ...inbox].map(({ text }) => text);
  const last = texts.findLast((text) => MODES.some((mode) => text.includes(modeNotice(mode))));
  return last === undefined ? undefined : MODES.find((mode) => last.includes(modeNotice(mode)));
}
