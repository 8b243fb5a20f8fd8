/** Work in progress: the row above the prompt, a fleet's hosts, and the header of a run (NO-8). Pure. */

import type { FleetRow } from '../../contracts/fleet.ts';
import type { NorrisRun } from '../../session/run.ts';
import { textWidth } from '../../text/display.ts';
import { plainText, visible } from '../../text/sanitize.ts';
import { lineWidth } from '../../text/wrap.ts';
import { cut } from '../render/segments.ts';
import { onGround, padTo, type RenderContext } from '../render/theme.ts';
import { elapsed } from './entries/frame.ts';

export type AwaitedReply = {
  readonly preset: string;
  readonly opened: boolean;
  readonly text: { readonly length: number };
  readonly reasoning: { readonly length: number };
  /** The activity before the request is sent, in words. */
  readonly doing?: string | undefined;
  /** When the request was sent, and until when its server may stay silent, in ms. */
  readonly patience?: { readonly from: number; readonly until: number } | undefined;
  /** The next attempt begins at `until`, in ms. */
  readonly pause?: { readonly why: string; readonly until: number } | undefined;
};

export type Waiting = {
  /** The current activity, by the state machine's name. */
  readonly what: string;
  /** The start of the activity, in ms. */
  readonly since: number;
  readonly now: number;
  readonly reply: AwaitedReply | undefined;
  /** When the first word of the answer arrived, in ms. */
  readonly answeringSince: number | undefined;
  /** The command that runs, if one does. */
  readonly runs: string | undefined;
  /** The key that ends the activity. */
  readonly key: string;
  /** The picture of the turning sign; undefined: the sign stands still. */
  readonly turn: number | undefined;
};

const TURNS = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const STILL = '·';
/** Letters per token, as a rule of thumb. */
const CHARS_PER_TOKEN = 4;
/** Up to this time a silent server is probably reading the prompt. In ms. */
const QUIET_MS = 10_000;
/** The shortest time for which a rate is meaningful. In ms. */
const MIN_RATE_MS = 1000;

export function waitingLine(waiting: Waiting, { width, paint }: RenderContext): string {
  const { since, now, key, turn } = waiting;
  const sign = turn === undefined ? STILL : (TURNS[turn % TURNS.length] ?? STILL);
  const [what, ...facts] = factsOf(waiting);
  const time = elapsed(now - since);
  const right = `${key} stops `;
  const most = width - 2 - right.length - 2;
  // On a narrow screen the duration is more useful than the rate.
  const said = [facts, [], undefined].map((some) => (some ? [...some, time] : []).join(' · '));
  const behind = said.find((text) => lineWidth(what) + lineWidth(text) + 3 <= most) ?? '';
  const left = `${paint('accent', sign)} ${paint('text', what)}${behind === '' ? '' : paint('dim', ` · ${behind}`)}`;
  return `${padTo(left, width - right.length)}${paint('dim', right)}`;
}

/** Returns the activity and the facts about it. */
function factsOf({ what, now, reply, answeringSince, runs }: Waiting): readonly [string, ...string[]] {
  if (reply && what !== 'stopping') {
    const { pause, doing } = reply;
    if (doing !== undefined) return [doing, reply.preset];
    if (pause) return [pause.why, `trying again in ${Math.max(0, Math.ceil((pause.until - now) / 1000))} s`];
    if (reply.text.length > 0) return ['answering', ...rateOf(reply.text.length, answeringSince, now)];
    if (reply.reasoning.length > 0) return ['thinking', reply.preset];
    const wait = patienceOf(reply.patience, now);
    return reply.opened ? ['reading the prompt', reply.preset, ...wait] : [`connecting to ${reply.preset}`, ...wait];
  }
  return what === 'running' && runs !== undefined ? ['running', runs] : [what];
}

/** Returns how much longer a silent server is waited for, once that may matter. */
function patienceOf(patience: AwaitedReply['patience'], now: number): readonly string[] {
  if (!patience || now - patience.from < QUIET_MS) return [];
  return [`gives up in ${elapsed(Math.max(0, patience.until - now))}`];
}

function rateOf(characters: number, since: number | undefined, now: number): readonly string[] {
  if (since === undefined || now - since < MIN_RATE_MS) return [];
  return [`≈ ${Math.round(characters / CHARS_PER_TOKEN / ((now - since) / 1000))} tok/s`];
}

// A fleet at work: a heading, and a row for each host, first those that wait for the user or are at work.

const MAX_NAME = 28;

type Look = readonly [sign: string, colour: 'accent' | 'warning' | 'success' | 'error' | 'dim', rank: number];

/** A host's state: its sign, its colour, and its place in the order. */
const LOOKS: Readonly<Record<string, Look>> = {
  halted: ['!', 'warning', 0],
  running: ['▸', 'accent', 1],
  held: ['○', 'dim', 2],
  waiting: ['○', 'dim', 4],
  aborted: ['○', 'dim', 3],
  done: ['✓', 'success', 5],
};
const FAILED: Look = ['✗', 'error', 3];

const WORDS: Readonly<Record<string, string>> = {
  halted: 'waits for you',
  running: 'at work',
  held: 'waits for the canary',
  waiting: 'to come',
};

/** Returns as many rows as fit; the heading counts the others. */
export function fleetRows(
  { goal, rows, key }: { readonly goal: string; readonly rows: readonly FleetRow[]; readonly key: string },
  room: number,
  context: RenderContext,
): readonly string[] {
  const lookOf = ({ status }: FleetRow): Look => LOOKS[status] ?? FAILED;
  const sorted = [...rows].sort((a, b) => lookOf(a)[2] - lookOf(b)[2]);
  const name = Math.min(MAX_NAME, Math.max(...rows.map(({ host }) => textWidth(host))));
  return [
    heading(goal, rows, key, context),
    ...sorted.slice(0, Math.max(0, room - 1)).map((row) => hostRow(row, lookOf(row), name, context)),
  ];
}

function heading(goal: string, rows: readonly FleetRow[], key: string, { width, paint }: RenderContext): string {
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  const ended = rows.filter((row) => row.ended).length;
  const failed = ended - count('done');
  const counted = [`${ended} of ${rows.length} ended`, ...(failed > 0 ? [`${failed} not done`] : [])].join(', ');
  const right = `${key} stops `;
  const left = `${paint('strong', 'fleet')} ${paint('dim', `· ${counted} ·`)} `;
  const room = Math.max(0, width - textWidth(`fleet · ${counted} · `) - right.length - 1);
  return `${padTo(left + paint('text', cut(visible(goal).replace(/\s+/g, ' '), room)), width - right.length)}${paint('dim', right)}`;
}

function hostRow(row: FleetRow, [sign, colour]: Look, name: number, { width, paint }: RenderContext): string {
  const { host, status, reason, milliseconds, commands } = row;
  const last = commands.at(-1)?.command;
  const what = [WORDS[status] ?? status, reason, ...(status === 'running' && last !== undefined ? [last] : [])];
  const text = visible(what.filter((part) => part !== '').join(' · ')).replace(/\s+/g, ' ');
  const time = milliseconds >= 1000 ? ` ${elapsed(milliseconds)} ` : ' ';
  const room = Math.max(0, width - name - time.length - 6);
  const left = `  ${paint(colour, sign)} ${padTo(cut(host, name), name)} ${paint('dim', cut(text, room))}`;
  return `${padTo(left, width - time.length)}${paint('dim', time)}`;
}

// The goal and the progress of a run, above everything that it does (NO-8).

export type RunFacts = Pick<NorrisRun, 'goal' | 'tasks' | 'startedAt'> & {
  readonly now: number;
  /** Whether the rail shows the plan. */
  readonly planElsewhere?: true;
};

/** The fewest rows with which the run’s header is shown; with fewer, the status bar shows the run. */
const MIN_ROWS = 12;
/** The fewest rows with which the plan is shown too. */
const PLAN_ROWS = 20;
const MAX_TASKS = 6;

/**
 * Returns the header of a run for a part of the screen with `rows` rows; empty where the header would take too many of
 * them.
 */
export function runHeaderLines(facts: RunFacts, rows: number, context: RenderContext): readonly string[] {
  if (rows < MIN_ROWS) return [];
  const plan = rows >= PLAN_ROWS && !facts.planElsewhere ? planRows(facts, context) : [];
  const rule = context.paint('rule', '─'.repeat(context.width));
  return [titleRow(facts, context), ...plan, ...(plan.length > 0 ? [rule] : [])];
}

/** The status bar has the step and the cost. */
function titleRow(facts: RunFacts, { width, paint, theme }: RenderContext): string {
  const { goal, tasks, startedAt, now } = facts;
  const bare = paint('text', 'x') === 'x';
  const chip = paint('norris', bare ? '[NORRIS]' : ' NORRIS ');
  const k = tasks && Math.min(tasks.current + 1, tasks.list.length);
  const counted = [...(tasks ? [`task ${k} of ${tasks.list.length}`] : []), elapsed(now - startedAt)].join(' · ');
  const room = width - lineWidth(chip) - counted.length - 4;
  const [line = ''] = plainText(goal).split('\n');
  const left = `${chip} ${paint('strong', cut(line, Math.max(8, room)))}`;
  return onGround(`${padTo(left, width - counted.length - 1)}${paint('dim', counted)}`, theme.raise, width);
}

/** Returns the plan with the state of each task; of a long plan the part around the current task. */
function planRows({ tasks }: RunFacts, { width, paint }: RenderContext): readonly string[] {
  if (!tasks) return [];
  const { list, current } = tasks;
  const first = Math.max(0, Math.min(current - 2, list.length - MAX_TASKS));
  return list.slice(first, first + MAX_TASKS).map((task, index) => {
    const at = first + index;
    const text = cut(plainText(task).replace(/\s+/g, ' '), width - 4);
    if (at < current) return `  ${paint('success', '✓')} ${paint('dim', text)}`;
    if (at === current) return `  ${paint('accent', '▸')} ${paint('strong', text)}`;
    return `  ${paint('dim', '○')} ${paint('text', text)}`;
  });
}
