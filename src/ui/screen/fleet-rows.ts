/** A fleet at work: a heading, and a row for each host, those first that wait for the user or are at work. Pure. */
import type { FleetRow } from '../../contracts/fleet.ts';
import { textWidth } from '../../text/display.ts';
import { visible } from '../../text/sanitize.ts';
import { cut } from '../render/segments.ts';
import { padTo, type RenderContext } from '../render/theme.ts';
import { elapsed } from './entries/frame.ts';

const MAX_NAME = 28;

type Look = readonly [sign: string, colour: 'accent' | 'warning' | 'success' | 'error' | 'dim', rank: number];

/** How a host stands: its sign, its colour, and how far up. */
const LOOKS: Readonly<Record<string, Look>> = {
  halted: ['!', 'warning', 0],
  running: ['▸', 'accent', 1],
  held: ['○', 'dim', 2],
  waiting: ['○', 'dim', 4],
  done: ['✓', 'success', 5],
};
const FAILED: Look = ['✗', 'error', 3];

const WORDS: Readonly<Record<string, string>> = {
  halted: 'waits for you',
  running: 'at work',
  held: 'waits for the canary',
  waiting: 'to come',
};

/** As many rows as there is room for; the heading counts the rest. */
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
