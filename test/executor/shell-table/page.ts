/** `docs/shell.md`, from what a run of the whole table has shown. */
import type { ShellName } from './row.ts';
import { ROWS } from './rows.ts';

/** By the name of a row and of a shell: whether both ways gave the same. */
export type Outcomes = ReadonlyMap<string, boolean>;

export const outcomeKey = (row: string, shell: ShellName): string => `${shell} ${row}`;

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const HEAD = `# What each shell does natively, it does inside

Made by \`npm run check -- shell\`: every row is run in the plain shell and inside aish-tui, in real terminals, with the same keys; the results come through files and are compared. \`=\` the same as natively, \`≠\` not, \`·\` the shell has no such thing. Why it is so: [decisions/own-line-editor.md](decisions/own-line-editor.md).

`;

export function shellPage(outcomes: Outcomes, versions: Readonly<Record<string, string>>): string {
  const cell = (name: string, shell: ShellName, has: boolean) => {
    const outcome = outcomes.get(outcomeKey(name, shell));
    return !has ? '·' : outcome === undefined ? 'not run' : outcome ? '=' : '≠';
  };
  const rows = ROWS.map(
    ({ name, steps }) =>
      `| ${rowLabel(name)} | ${SHELLS.map((shell) => cell(name, shell, steps[shell] !== undefined)).join(' | ')} |`,
  );
  const heads = SHELLS.map((shell) => `${shell} ${versions[shell] ?? ''}`.trim());
  const sums = SHELLS.map((shell) => {
    const names = ROWS.filter(({ steps }) => steps[shell] !== undefined).map(({ name }) => outcomeKey(name, shell));
    return `${names.filter((name) => outcomes.get(name)).length} of ${names.length}`;
  });
  return `${HEAD}| behaviour | ${heads.join(' | ')} |\n|---|---|---|---|\n${rows.join('\n')}\n| **as natively** | ${sums.join(' | ')} |\n`;
}

/** As it stands in the page: a bar would end its cell. */
export function rowLabel(name: string): string {
  return name.replaceAll('|', '\\|');
}
