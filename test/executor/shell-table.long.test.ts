/**
 * A shell behaves the same inside aish-tui as natively, with the same keys. The short part always runs; `npm run check
 * -- shell` runs the whole table and writes it into `docs/shell.md`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { everyShell, lacks } from '../support/lacks.ts';
import { play } from './shell-table/driver.ts';
import { outcomeKey, outcomesOf, rowLabel, shellPage } from './shell-table/page.ts';
import { ROOT, type Row, type ShellName } from './shell-table/row.ts';
import { ROWS } from './shell-table/rows.ts';

const PAGE = new URL('../../docs/shell.md', import.meta.url);

const { AISH_SHELL_TABLE } = process.env;
/** Whether ten busy processes run at the same time, for the last row of the page. */
const loaded = AISH_SHELL_TABLE === 'loaded';
const whole = AISH_SHELL_TABLE === 'all' || loaded;
const outcomes = new Map<string, boolean | string>();

/** Returns the program that a row needs and this machine lacks. */
function missing({ needs = [] }: Row): string | undefined {
  return needs.find((each) => (each === ROOT ? process.getuid?.() !== 0 : lacks(each)));
}

const busy = loaded ? Array.from({ length: 10 }, () => spawn('sh', ['-c', 'while :; do :; done'])) : [];

describe.each(everyShell())('%s behaves inside aish-tui as in a plain terminal', (program) => {
  const shell = basename(program) as ShellName;
  const rows = ROWS.filter((row) => row.steps[shell] !== undefined && (whole || row.short));
  const ways = rows.flatMap((row) => [
    { name: row.name, row, heavy: false },
    ...(whole && !row.plainOnly ? [{ name: `${row.name}, heavy startup files`, row, heavy: true }] : []),
  ]);

  // The whole table takes many minutes of terminals: a row that a busy machine disturbed is tried again.
  it.for(ways)('for: $name', { retry: whole ? 1 : 0 }, async ({ row, heavy }, { skip }) => {
    const key = outcomeKey(row.name, shell, heavy);
    const lacking = missing(row);
    outcomes.set(key, lacking === undefined ? false : `no ${basename(lacking)}`);
    if (lacking !== undefined) skip(`no ${basename(lacking)}`);
    const wanted = row.expect?.[shell] ?? (await play(row, shell, program, { inside: false, heavy }));
    expect(await play(row, shell, program, { inside: true, heavy })).toBe(wanted);
    // A row without a result would prove nothing.
    expect(wanted).not.toBe('');
    outcomes.set(key, true);
  });
});

it('docs/shell.md has every row of the table', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(ROWS.map(({ name }) => rowLabel(name)).filter((name) => !page.includes(`| ${name} |`))).toEqual([]);
});

afterAll(() => {
  for (const child of busy) child.kill('SIGKILL');
  if (!whole) return;
  const versions = Object.fromEntries(
    everyShell().map((program) => {
      const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      return [basename(program), /\d+\.\d+/.exec(stdout)?.[0] ?? ''];
    }),
  );
  const page = readFileSync(PAGE, 'utf8');
  const known = loaded ? outcomes : new Map([...outcomesOf(page), ...outcomes]);
  writeFileSync(PAGE, shellPage(known, versions, page, loaded));
});
