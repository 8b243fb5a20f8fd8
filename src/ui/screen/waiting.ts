/** The one row that says what is under way, for how long, and how to stop it. Pure. */

import { lineWidth } from '../../text/wrap.ts';
import { padTo, type RenderContext } from '../render/theme.ts';
import { elapsed } from './entries/frame.ts';

/** What is known of the reply that is awaited. */
export type AwaitedReply = {
  readonly preset: string;
  readonly opened: boolean;
  readonly text: { readonly length: number };
  readonly reasoning: { readonly length: number };
};

export type Waiting = {
  /** What goes on, by the machine's word. */
  readonly what: string;
  /** In ms. */
  readonly since: number;
  readonly now: number;
  readonly reply: AwaitedReply | undefined;
  /** When the first word of the answer was seen, in ms. */
  readonly answeringSince: number | undefined;
  /** What runs, where something does. */
  readonly runs: string | undefined;
  /** What ends it. */
  readonly key: string;
  /** Which of the sign's pictures; undefined: it stands still. */
  readonly turn: number | undefined;
};

const TURNS = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const STILL = '·';
/** As a rule of thumb, in letters. */
const CHARS_PER_TOKEN = 4;
/** A rate over less than this says nothing. In ms. */
const MIN_RATE_MS = 1000;

export function waitingLine(waiting: Waiting, { width, paint }: RenderContext): string {
  const { since, now, key, turn } = waiting;
  const sign = turn === undefined ? STILL : (TURNS[turn % TURNS.length] ?? STILL);
  const [what, ...facts] = factsOf(waiting);
  const time = elapsed(now - since);
  const right = `${key} stops `;
  const most = width - 2 - right.length - 2;
  // On a narrow screen how long it takes says more than how fast it goes.
  const said = [facts, [], undefined].map((some) => (some ? [...some, time] : []).join(' · '));
  const behind = said.find((text) => lineWidth(what) + lineWidth(text) + 3 <= most) ?? '';
  const left = `${paint('accent', sign)} ${paint('text', what)}${behind === '' ? '' : paint('dim', ` · ${behind}`)}`;
  return `${padTo(left, width - right.length)}${paint('dim', right)}`;
}

/** What goes on, and what there is to say of it. */
function factsOf({ what, now, reply, answeringSince, runs }: Waiting): readonly [string, ...string[]] {
  if (reply && what !== 'stopping') {
    if (reply.text.length > 0) return ['answering', ...rateOf(reply.text.length, answeringSince, now)];
    if (reply.reasoning.length > 0) return ['thinking', reply.preset];
    return reply.opened ? ['reading the prompt', reply.preset] : [`connecting to ${reply.preset}`];
  }
  return what === 'running' && runs !== undefined ? ['running', runs] : [what];
}

function rateOf(characters: number, since: number | undefined, now: number): readonly string[] {
  if (since === undefined || now - since < MIN_RATE_MS) return [];
  return [`≈ ${Math.round(characters / CHARS_PER_TOKEN / ((now - since) / 1000))} tok/s`];
}
