/**
 * `npm run bench [-- SECTION…]`: measures delays that the user notices, as ratios within one run, since times on a
 * noisy machine mean little. Each figure is compared with the simplest program that does the same, with pi if npx has
 * it or can fetch it, and with an earlier build given by BENCH_BEFORE=PATH. Exits with 1 if a goal is missed.
 * BENCH_ROUNDS=3 sets the rounds, of which the median counts.
 */
import { hasBefore, hasPi, PI } from './contenders.ts';
import { growth } from './figures/growth.ts';
import { idle } from './figures/idle.ts';
import { keys } from './figures/keys.ts';
import { output } from './figures/output.ts';
import { requests } from './figures/requests.ts';
import { start } from './figures/start.ts';
import { steps } from './figures/steps.ts';
import { streaming } from './figures/streaming.ts';
import { waits } from './figures/waits.ts';
import type { Beside, Section } from './section.ts';
import { median } from './typing.ts';

const SECTIONS: readonly Section[] = [start, waits, keys, streaming, steps, output, idle, requests, growth];
const OURS = 'aish-tui';
const COLUMNS = [46, 26, 8, 8] as const;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !SECTIONS.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`there is no ${unknown.join(', ')}; known: ${SECTIONS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

let missed = 0;

function row(...cells: readonly string[]): void {
  console.log(
    cells
      .map((cell, n) => cell.padEnd(COLUMNS[n] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

async function measured(section: Section): Promise<(contender: string, figure: string) => number | undefined> {
  const all = new Map<string, number[]>();
  for (let round = 0; round < Number(process.env.BENCH_ROUNDS ?? 3); round += 1)
    for (const contender of section.contenders)
      for (const [figure, value] of Object.entries(await contender.measure()))
        all.set(`${contender.name} ${figure}`, [...(all.get(`${contender.name} ${figure}`) ?? []), value]);
  return (contender, figure) => {
    const values = all.get(`${contender} ${figure}`);
    return values && median(values);
  };
}

function compare(what: string, ours: number, beside: Beside, theirs: number | undefined): void {
  const { name, figure, goal } = beside;
  const shown = `÷ ${name}${figure === undefined ? '' : `: ${figure}`}`;
  if (theirs === undefined) return;
  const ratio = ours / theirs;
  if (goal !== undefined && ratio > goal) missed += 1;
  const verdict = goal === undefined ? '' : ratio <= goal ? 'ok' : 'MISSED';
  row(what, shown, ratio.toFixed(2), goal === undefined ? '' : `≤ ${goal}`, verdict);
}

console.log(hasPi ? `pi is ${PI}` : `npx does not get ${PI}: no figure beside pi`);
row('figure', 'beside', 'ratio', 'goal');
for (const section of SECTIONS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const value = await measured(section);
  for (const { figure, limit, beside = [] } of section.figures) {
    const ours = value(OURS, figure);
    if (ours === undefined) continue;
    if (limit !== undefined) {
      if (ours > limit) missed += 1;
      row(figure, '', ours.toFixed(0), `≤ ${limit}`, ours <= limit ? 'ok' : 'MISSED');
    }
    for (const each of beside) compare(figure, ours, each, value(each.name, each.figure ?? figure));
    if (hasBefore) compare(figure, ours, { name: 'before' }, value('before', figure));
    if (process.env.BENCH_TIMES !== undefined) {
      const names = section.contenders.map(({ name }) => name);
      const times = names.flatMap((name) => {
        const found = value(name, figure);
        return found === undefined ? [] : [`${name} ${found.toFixed(2)}`];
      });
      console.log(`    ${times.join('   ')}`);
    }
  }
}
console.log(missed === 0 ? 'every goal is reached' : `${missed} goals are missed`);
process.exit(missed === 0 ? 0 : 1);
