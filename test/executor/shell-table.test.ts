/**
 * What a shell does natively it does inside, with the same keys. The short part runs always; `npm run check -- shell` runs
 * the whole table and writes it into `docs/shell.md`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { everyShell, pathOf } from '../support/lacks.ts';
import { play } from './shell-table/driver.ts';
import { outcomeKey, rowLabel, shellPage } from './shell-table/page.ts';
import type { ShellName } from './shell-table/row.ts';
import { ROWS } from './shell-table/rows.ts';

const PAGE = new URL('../../docs/shell.md', import.meta.url);

const whole = process.env.AISH_SHELL_TABLE === 'all';
const outcomes = new Map<string, boolean>();

describe.each(everyShell())('%s does inside what it does natively', (program) => {
  const shell = basename(program) as ShellName;
  const rows = ROWS.filter((row) => row.steps[shell] !== undefined && (whole || row.short));

  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    if (row.needs !== undefined && pathOf(row.needs) === undefined) return;
    outcomes.set(outcomeKey(row.name, shell), false);
    const wanted = row.expect?.[shell] ?? (await play(row, shell, program, false));
    expect(await play(row, shell, program, true)).toBe(wanted);
    // A row that gives nothing shows nothing.
    expect(wanted).not.toBe('');
    outcomes.set(outcomeKey(row.name, shell), true);
  });
});

it('and docs/shell.md has every row', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(ROWS.map(({ name }) => rowLabel(name)).filter((name) => !page.includes(`| ${name} |`))).toEqual([]);
});

afterAll(() => {
  if (!whole) return;
  const versions = Object.fromEntries(
    everyShell().map((program) => {
      const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      return [basename(program), /\d+\.\d+/.exec(stdout)?.[0] ?? ''];
    }),
  );
  writeFileSync(PAGE, shellPage(outcomes, versions));
});
