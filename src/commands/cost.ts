/** `:cost`: shows what models have cost (CO-1, CO-2). */

import type { CostPort } from '../contracts/models.ts';
import { contextUse } from '../session/context.ts';
import { type CostRow, dollarsText, shortDollars, sumOf } from '../session/cost.ts';
import type { Conversation } from '../session/state.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

export const cost: Command = {
  name: 'cost',
  usage: ':cost [detail [--table] | all]',
  group: 'talk',
  summary: 'show what the models have cost',
  forms: [
    [':cost detail', 'by model and kind of call'],
    [':cost detail --table', 'the same as a table'],
    [':cost all', 'every session, by day and model'],
  ],
  arguments: () => ['detail', 'detail --table', 'all'],
  run(app, rest) {
    if (rest === 'detail') return detail(app, listed);
    if (rest === 'detail --table') return detail(app, tabulated);
    if (rest === 'all') return all(app.cost);
    if (rest !== '') throw new CommandError('use :cost, :cost detail, :cost detail --table or :cost all');
    return oneLine(app.engine.state.costs.rows);
  },
};

function oneLine(rows: readonly CostRow[]): string {
  const sum = sumOf(rows);
  const calls = rows.reduce((count, row) => count + row.calls, 0);
  const unpriced = rows.reduce((count, row) => count + row.unpriced, 0);
  const unknown = unpriced > 0 ? `; no price is known for ${unpriced} of them` : '';
  return `[aish] this session: ${shortDollars(sum.dollars)}, ${calls} calls, ${sum.promptTokens}/${sum.completionTokens} tokens${unknown}`;
}

/** A row for each model and category, then how full the context is. */
function detail({ engine, cost: desk }: App, form: (rows: readonly CostRow[]) => readonly string[]): string {
  const { rows } = engine.state.costs;
  const sum = sumOf(rows);
  const head = `[aish] session usage detail (total=${dollarsText(sum.dollars)}, ${sum.promptTokens}/${sum.completionTokens} tokens):`;
  return [head, ...form(rows), contextLine(engine.conversation), ...priceLines(rows, desk)].join('\n');
}

function listed(rows: readonly CostRow[]): readonly string[] {
  const widest = (text: (row: CostRow) => string, least = 0) => Math.max(least, ...rows.map((row) => text(row).length));
  const model = widest((row) => row.model);
  const category = widest((row) => row.category);
  const calls = widest((row) => String(row.calls));
  const prompt = widest((row) => String(row.promptTokens), 4);
  const completion = widest((row) => String(row.completionTokens));
  return rows.map(
    (row) =>
      `  ${row.model.padEnd(model)}  ${row.category.padEnd(category)}  ${String(row.calls).padStart(calls)} calls, ${String(row.promptTokens).padStart(prompt)} / ${String(row.completionTokens).padStart(completion)} tokens, ${dollarsText(row.dollars)}${remarks(row)}`,
  );
}

/** Returns a heading, a rule, and a row for each model and category. */
function tabulated(rows: readonly CostRow[]): readonly string[] {
  const cells = rows.map((row) => [
    ...[row.model, row.category, String(row.calls), String(row.promptTokens), String(row.completionTokens)],
    ...[dollarsText(row.dollars), remarks(row).trim()],
  ]);
  const all = [['model', 'category', 'calls', 'prompt', 'completion', 'dollars', ''], ...cells];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? [];
  // Numbers stand at the right.
  const drawn = all.map((row) =>
    row.map((cell, at) => (at < 2 || at > 5 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))),
  );
  const [head, ...rest] = drawn.map((row) => `  ${row.join('  ').trimEnd()}`);
  return [
    head ?? '',
    `  ${widths
      .slice(0, 6)
      .map((width) => '─'.repeat(width))
      .join('  ')}`,
    ...rest,
  ];
}

function remarks({ local, unpriced, estimated, calls, cachedTokens }: CostRow): string {
  return [
    ...(local ? ['local'] : []),
    ...(unpriced > 0 ? [unpriced === calls ? 'no price known' : `no price known for ${unpriced} calls`] : []),
    ...(cachedTokens > 0 ? [`${cachedTokens} tokens from the cache`] : []),
    ...(estimated > 0 ? [`tokens of ${estimated} of ${calls} calls estimated`] : []),
  ]
    .map((remark) => `  (${remark})`)
    .join('');
}

function contextLine(conversation: Conversation): string {
  const use = contextUse(conversation);
  if (!use) return '[aish] estimated session ctx: not counted before the first call';
  const { tokens, budget, percent } = use;
  return `[aish] estimated session ctx: ${tokens} tokens; token_budget=${budget} (${percent.toFixed(1)}% used)`;
}

function priceLines(rows: readonly CostRow[], { priceFile, problem }: CostPort): readonly string[] {
  const priced = new Map(rows.flatMap((row) => (row.priceFrom === undefined ? [] : [[row.model, row.priceFrom]])));
  const known = [...priced].map(([model, from]) => `[aish] prices of ${model}: ${from}`);
  const wanted = rows.some((row) => row.unpriced > 0) ? [`[aish] missing prices can be written to ${priceFile}`] : [];
  return [...known, ...wanted, ...(problem === undefined ? [] : [`[aish] ${problem}`])];
}

async function all(desk: CostPort): Promise<string> {
  const days = await desk.days();
  if (days.length === 0) return '[aish] no calls have been counted yet';
  const sum = sumOf(days);
  const model = Math.max(...days.map((day) => day.model.length));
  const calls = Math.max(...days.map((day) => String(day.calls).length));
  const head = `[aish] all sessions (total=${dollarsText(sum.dollars)}, ${sum.promptTokens}/${sum.completionTokens} tokens):`;
  const rows = days.map((day) => {
    const free = day.local ? '  (local)' : day.unpriced > 0 ? '  (price not known for all)' : '';
    return `  ${day.day}  ${day.model.padEnd(model)}  ${String(day.calls).padStart(calls)} calls, ${day.promptTokens} / ${day.completionTokens} tokens, ${dollarsText(day.dollars)}${free}`;
  });
  return [head, ...rows].join('\n');
}
