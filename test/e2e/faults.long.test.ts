/**
 * RE-1: compares every fault in every place with the page that describes it. `npm run check -- faults` runs them all
 * and rewrites the page; this run tries a few.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { applies, type Cell, FAULTS, meet } from '../support/fault-matrix.ts';
import { lacks } from '../support/lacks.ts';
import { PLACES, type Place } from '../support/role-server.ts';

const PAGE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
const WRITES = process.env.AISH_FAULTS === 'all';
/** The faults that every run of this file tries. */
const FEW: readonly (readonly [string, Place])[] = [
  ['500', 'chat'],
  ['answer cut', 'Norris'],
  ['connection dropped', 'preplan'],
  ['garbage', 'second opinion'],
  ['500', 'sub-agent'],
  ['disk full', 'Norris'],
  ['read-only home', 'Norris'],
  ['hang-up', 'chat'],
  ['no answer', 'trial'],
  ['hang-up', 'trial'],
];

const INTRO = `# What happens when something fails

Look up a failure: what you see, and what is saved. \`npm run check -- faults\` causes every one in the real program and writes this page. Nobody is there to answer (\`aish-tui ask\`, \`aish-tui run\`), so no HALT is approved. *Seen* is the program's message with its exit code; *kept* is what the session contains afterwards, and whether it resumes.

The failure happens in one of these places:

- **chat**: a question; **Norris**: the second step of a run; **preplan**: the planning call;
- **second opinion**: the gate's question to a model; **sub-agent**: a call of a sub-agent;
- **trial**: while a halted command is tried (\`run --on-halt try\`). A trial asks no model.

Five more, each with a test of its own:

| failure | what happens | test |
|---|---|---|
| the mode that you asked for can't be enforced | the screen and its shell work, and the model runs nothing until \`:mode unrestricted\`; without a screen exit 2 | \`test/e2e/mode.test.ts\`, \`mode.long.test.ts\` |
| one short failure of the server in a run | the same request again, up to 8 times; the run goes on | \`test/e2e/hiccups.long.test.ts\` |
| a job of the model is still running at the end of \`run\` | the model is told once; the job gets at most a minute, is then ended and named, exit 3 | \`test/e2e/headless.long.test.ts\` |
| you type a line while a command runs | it is a shell line, a question or a \`:\` line, as at the prompt; lines that no program reads return | \`test/e2e/typed-ahead.long.test.ts\` |
| the session's file is deleted while the program runs | the next event writes it again as a whole | \`test/store/journal.test.ts\` |
`;

const rowOf = (place: Place, cell: Cell | undefined) =>
  cell ? `| ${place} | ${cell.sees} | ${cell.kept} |` : `| ${place} | – | – |`;

function pageOf(cells: ReadonlyMap<string, ReadonlyMap<Place, Cell>>): string {
  const sections = Object.keys(FAULTS).map((name) => {
    const rows = PLACES.map((place) => rowOf(place, cells.get(name)?.get(place)));
    return `## ${name}\n\n| where | seen | kept |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [INTRO, ...sections].join('\n');
}

/** Returns the sections of the page, each with its rows by place. */
function written(): ReadonlyMap<string, readonly string[]> {
  const [, ...sections] = readFileSync(PAGE, 'utf8').split(/^## /m);
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n');
      return [name, lines.filter((line) => line.startsWith('| ') && !line.startsWith('| where'))];
    }),
  );
}

// Writing the page takes half an hour, so it happens only on request.
const describeAll = WRITES ? describe : () => {};

describeAll('all of them', () => {
  it('the page about faults is written after every fault was tried in every place', {
    timeout: 30 * 60_000,
  }, async () => {
    const cells = new Map<string, Map<Place, Cell>>();
    for (const name of Object.keys(FAULTS)) {
      const row = new Map<Place, Cell>();
      for (const place of PLACES) if (applies(name, place)) row.set(place, await meet(name, place));
      cells.set(name, row);
    }
    writeFileSync(PAGE, pageOf(cells));
    expect([...written().keys()]).toEqual(Object.keys(FAULTS));
  });
});

describe.skipIf(WRITES)('the page of faults', () => {
  it('has every fault and every place', () => {
    const page = written();
    expect([...page.keys()]).toEqual(Object.keys(FAULTS));
    for (const [name, rows] of page) {
      expect(rows.map((row) => row.split(' | ')[0]?.slice(2))).toEqual(PLACES);
      for (const [at, row] of rows.entries()) expect(row.includes('| – |')).toBe(!applies(name, PLACES[at] ?? 'chat'));
    }
  });
});

describe.skipIf(WRITES || lacks('cc'))('the page of faults', () => {
  it.each(FEW)('describes what happens for %s in %s', async (name, place) => {
    expect(rowOf(place, await meet(name, place))).toBe(written().get(name)?.[PLACES.indexOf(place)]);
  });
});
