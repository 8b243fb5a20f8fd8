/** Writes `docs/shell.md` from the results of a run of the whole table. */
import { basename } from 'node:path';
import { PLUGINS } from './heavy.ts';
import type { Row, ShellName } from './row.ts';
import { ROWS } from './rows.ts';

/** The result of each `outcomeKey`: whether both ways gave the same result, or the program that the machine lacks. */
export type Outcomes = ReadonlyMap<string, boolean | string>;

export const outcomeKey = (row: string, shell: ShellName, heavy: boolean): string =>
  `${shell} ${heavy ? 'heavy' : 'plain'} ${row}`;

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const COLUMNS = SHELLS.flatMap((shell) => [false, true].map((heavy) => ({ shell, heavy })));

const HEAD = `# What each shell does natively, it does inside

Look up whether a feature of your shell works. \`npm run check -- shell\` runs every row in the plain shell and inside aish-tui, with the same keys, and writes this page. \`=\` the same, \`≠\` different, \`·\` the shell has no such feature ([how it works](decisions/own-line-editor.md)).

`;

/** Describes the second column of each shell. */
function heavyText(): string {
  const names = (shell: ShellName) => PLUGINS[shell].map((path) => basename(path).replace(/\.\w+$/, ''));
  const plugins = [...names('bash'), ...names('zsh')];
  return `*Heavy* has large startup files: ${plugins.map((name) => `${name}, `).join('')}vi keys, a prompt of two lines with a clock at the right, fish's greeting, hooks that take 50 ms and print. \`–\`: not run, since the row is about startup files.\n\n`;
}

/** Limits found by a day of manual use in each shell. */
const DAYS = `
## Limits

- A loop of the shell itself (\`while sleep 1; do …; done\`) can't continue in the background: in bash \`Ctrl-X Ctrl-Z\` ends it, as \`Ctrl-Z\` does natively; in fish a hint says so. Write it as \`sh -c '…'\`.
- In zsh, output of a job may appear between the lines of the next command, as natively.
- fish's greeting is a notice above the first line.
`;

/** The last row of a page: the result of a run under load, by column. */
const LOADED = '| **the same at load 10** |';

const loadedOf = (page: string): readonly string[] =>
  page
    .split('\n')
    .find((line) => line.startsWith(LOADED))
    ?.slice(LOADED.length)
    .split('|')
    .map((text) => text.trim()) ?? [];

/** @param page the current page: a run under load updates only its sums, any other run keeps them */
export function shellPage(
  outcomes: Outcomes,
  versions: Readonly<Record<string, string>>,
  page: string,
  loaded: boolean,
): string {
  const cell = ({ name, steps, plainOnly }: Row, shell: ShellName, heavy: boolean) => {
    const outcome = outcomes.get(outcomeKey(name, shell, heavy));
    if (steps[shell] === undefined) return '·';
    if (heavy && plainOnly) return '–';
    return outcome === undefined ? 'not run' : typeof outcome === 'string' ? outcome : outcome ? '=' : '≠';
  };
  const sums = COLUMNS.map(({ shell, heavy }) => {
    const cells = ROWS.map((row) => cell(row, shell, heavy)).filter((text) => text === '=' || text === '≠');
    return `${cells.filter((text) => text === '=').length} of ${cells.length}`;
  });
  if (loaded) {
    const before = loadedOf(page);
    const now = sums.map((sum, at) => (sum.endsWith(' of 0') ? (before[at] ?? '') : sum));
    const [table = ''] = page.split('\n## ');
    return `${table
      .split('\n')
      .filter((line) => !line.startsWith(LOADED))
      .join('\n')
      .trimEnd()}\n${LOADED} ${now.join(' | ')} |\n${DAYS}`;
  }
  const rows = ROWS.map(
    (row) => `| ${rowLabel(row.name)} | ${COLUMNS.map(({ shell, heavy }) => cell(row, shell, heavy)).join(' | ')} |`,
  );
  const heads = COLUMNS.map(({ shell, heavy }) => (heavy ? 'heavy' : `${shell} ${versions[shell] ?? ''}`.trim()));
  const kept = loadedOf(page).slice(0, COLUMNS.length);
  const line = `|---${'|---'.repeat(COLUMNS.length)}|`;
  return `${HEAD}${heavyText()}| behaviour | ${heads.join(' | ')} |\n${line}\n${rows.join('\n')}\n| **as natively** | ${sums.join(' | ')} |\n${kept.length > 0 ? `${LOADED} ${kept.join(' | ')} |\n` : ''}${DAYS}`;
}

/** Returns the outcomes in a page, so that a run of some rows (`-t`) keeps the others. */
export function outcomesOf(page: string): Map<string, boolean | string> {
  const known = new Map<string, boolean | string>();
  for (const { name } of ROWS) {
    const begin = `| ${rowLabel(name)} | `;
    const line = page.split('\n').find((each) => each.startsWith(begin));
    const cells = line?.slice(begin.length).split('|') ?? [];
    for (const [index, { shell, heavy }] of COLUMNS.entries()) {
      const text = cells[index]?.trim() ?? '';
      if (text === '=' || text === '≠' || text.startsWith('no '))
        known.set(outcomeKey(name, shell, heavy), text === '=' || (text !== '≠' && text));
    }
  }
  return known;
}

/** Returns the name as shown in the page; a bar would end its cell. */
export function rowLabel(name: string): string {
  return name.replaceAll('|', '\\|');
}
