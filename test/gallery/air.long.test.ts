/** Checks the spacing of every picture in the gallery. */
import { expect, it } from 'vitest';
import { picturesOf } from './capture.ts';
import { SCENES } from './scenes.ts';

/** The characters with which an entry begins. */
const HEAD = /^[❯?»●▸▹○] /;
/** The beginnings of a panel’s first and last row. */
const EDGE = /^(?:━━|╭─)/;

/** The rows above the prompt, without the rail at their right, and where a panel or the prompt begins. */
function rowsOf(picture: string): { readonly rows: readonly string[]; readonly begin: number } {
  const all = picture.split('\n').map((row) => row.replace(/ {2,}│(?: .*)?$/, ''));
  const prompt = all.findLastIndex((row) => /^(?:@\S+ )?\[aish:/.test(row));
  const rows = prompt < 0 ? all : all.slice(0, prompt);
  const edge = rows.findIndex((row) => EDGE.test(row));
  const asked = rows.findIndex((row) => / tokens?\b.*Backspace| ≈ \d+ tokens/.test(row));
  const begin = [edge, asked].filter((at) => at >= 0);
  return { rows, begin: Math.min(rows.length, ...begin) };
}

it.each(SCENES.map((scene) => [scene.name, scene] as const))('%s has one blank row where one belongs', (_, scene) => {
  for (const size of ['80x24', '120x40', '200x60']) {
    const { rows, begin } = rowsOf(picturesOf(scene).get(size) ?? '');
    const above = rows.slice(0, begin);
    // A panel may take the whole screen.
    if (above.length > 0) expect(above.at(-1), `${size}: above the prompt`).toBe('');
    const said = above.slice(above.findIndex((row) => HEAD.test(row)));
    if (above.join('\n').includes('your shell and a model on one screen')) continue;
    expect(said.join('\n').trimEnd(), size).not.toMatch(/\n\n\n/);
    for (const [at, row] of said.entries())
      if (at > 0 && HEAD.test(row)) expect(said[at - 1]?.slice(0, 1), `${size}: above ${row}`).toMatch(/^[▹─]?$/);
  }
});
