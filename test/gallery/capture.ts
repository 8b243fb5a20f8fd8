/** Plays a scene in the real program and shows its screen at every size. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Run } from '../support/cells.ts';
import { scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import type { Scene } from './scene.ts';

/** The sizes of the pictures; a scene is played at the first one. */
export const SIZES = ['80x24', '40x10', '120x40', '200x60'] as const;
export type Size = (typeof SIZES)[number];

export const LOOKS = ['dark', 'light', 'none'] as const;
export type Look = (typeof LOOKS)[number];

/** Text that differs from run to run, and its replacement in the gallery. */
const STEADY: readonly (readonly [RegExp, string])[] = [
  [/([✓✗](?: \d+ ·)?) [\d.]+ (?:ms|s)(?= *│?$)/gm, '$1 4 ms'],
  [/· [\d.]+ (?:ms|s)(?= ·| *$)/gm, '· 2 s'],
  [/((?:only reads|undoable|by you [\d:]+) ·) [\d.]+ (?:ms|s)/g, '$1 4 ms'],
  [/(·|running|thinking|waits for you|again in) [\d.]+ s\b/g, '$1 2 s'],
  // The line may break before the time.
  [/(again in\s+)[\d.]+ s\b/g, '$12 s'],
  [/^ {2}[\d.]+ s$/gm, '  2 s'],
  [/≈ \d+ tok\/s/g, '≈ 41 tok/s'],
  [/\b\d\d\d\d-\d\d-\d\d \d\d:\d\d\b/g, '2026-11-22 14:03'],
  [/\b\w{3} \d{1,2} \w{3,4} \d{4}, \d\d:\d\d\b/g, 'Fri 20 Nov 2026, 14:03'],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, '14:03'],
  [/\bbash \d\.\d\b/g, 'bash 5.2'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:8080'],
  [/ctx [▮▯]+ +\d+%/g, 'ctx ▮▯▯▯▯ 12%'],
  [/ctx \d+%/g, 'ctx 12%'],
];
/** Changing words of a scene and their replacements in a picture, with the same number of cells. */
const STEADY_RUNS: typeof STEADY = [
  [/(ctx [▮▯]+ )\d%/g, '$19%'],
  ...STEADY.filter(([each]) => !/^ctx/.test(each.source)),
];
/**
 * Text that depends on durations: the durations themselves, the directory that is shortened for them, blanks before
 * right-aligned text, and blanks at the end of a row, which may be drawn or not.
 */
const COMES_AND_GOES: readonly (readonly [RegExp, string])[] = [
  [/^([ []NORRIS[ \]] .*?) {2,}[\d.]+ s(?= *$| +│)/gm, '$1  2 s'],
  [/ · [\d.]+ (?:ms|s)(?= ·| *$)/gm, ''],
  [/([✓✗]) [\d.]+ (?:ms|s)/g, '$1'],
  [/~\/shop · /g, ''],
  [/(, 14:03 )─+/g, '$1──'],
  [/ {2,}(?=[✓✗]|approved by|only reads|undoable(?: ·| *$)|step \d|\d+ of \d+ steps|~\/shop)/gm, '  '],
  [/ +$/gm, ''],
];

function replaced(text: string, rules: readonly (readonly [RegExp, string])[]): string {
  return rules.reduce((text, [changing, shown]) => text.replace(changing, shown), text);
}

/** Texts that give way to the duration on a narrow screen: the reason why a command ran. */
const GIVES_WAY: readonly (readonly [RegExp, string])[] = [
  [/ *(?:only reads|undoable)(?: · ?)?/g, '  '],
  // The text at the end of the step also gives way.
  [/^(✓ +\d+ {2}).*….*$/gm, '$1…'],
];

/** Returns the screen as text, without what a clock or the machine decides. */
export function steadyText(rig: Rig, size: Size): string {
  const narrow = size === '40x10' ? GIVES_WAY : [];
  return replaced(rig.text(), [...STEADY, ...COMES_AND_GOES.slice(0, -1), ...narrow, ...COMES_AND_GOES]).trimEnd();
}

/** Returns the same in its styles, cell by cell. */
export function steadyRuns(rig: Rig): readonly (readonly Run[])[] {
  return rig.runs().map((row) =>
    row.map((run) => ({
      ...run,
      text: replaced(run.text, STEADY_RUNS).padEnd(run.text.length).slice(0, run.text.length),
    })),
  );
}

/**
 * Plays `scene` from the first prompt on.
 * @param take is shown the program at each size, and waits for what it wants to see
 */
export async function capture(
  scene: Scene,
  look: Look,
  sizes: readonly Size[],
  take: (size: Size, rig: Rig) => Promise<void>,
): Promise<void> {
  const ui = { motion: false, ...(look === 'light' && { theme: 'light' }) };
  await using server = await startScriptedServer(scene.script ?? []);
  using place = scratch(scene.script ? server.baseUrl : undefined, { ui, ...scene.config });
  const work = join(place.home, 'shop');
  mkdirSync(work);
  for (const [name, text] of Object.entries(scene.files ?? {})) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  const env = { COLORTERM: 'truecolor', ...(look === 'none' && { NO_COLOR: '1' }), ...scene.env?.(server) };
  await using rig = startRig({ ...place, work }, { columns: 80, rows: 24, env });
  // The first frame has a prompt too, but no mode yet.
  await rig.waitFor(/\[aish:\w+[^\]]*\][\s\S]* -- \w/);
  await scene.play?.({ rig, server, work });
  for (const size of sizes) {
    const [columns = 80, rows = 24] = size.split('x').map(Number);
    if (size !== SIZES[0]) rig.resize(columns, rows);
    await take(size, rig);
  }
}

const TEXTS = new URL('text/', import.meta.url);

/** Returns the file name of a picture; without colours, words and brackets replace them. */
export function pictureName(size: Size, look: Look): string {
  return look === 'none' ? `${size} ${look}` : size;
}

/** Returns the stored pictures of a scene, by name. */
export function picturesOf({ name }: Scene): ReadonlyMap<string, string> {
  const [, ...parts] = readFileSync(new URL(`${name}.txt`, TEXTS), 'utf8').split(/^== (.*)\n/m);
  const pairs = parts.flatMap((part, at) => (at % 2 === 0 ? [[part, (parts[at + 1] ?? '').trimEnd()] as const] : []));
  return new Map(pairs);
}

/** Stores the pictures of a scene. */
export function keepPictures({ name }: Scene, pictures: ReadonlyMap<string, string>): void {
  mkdirSync(TEXTS, { recursive: true });
  const parts = [...pictures].map(([size, text]) => `== ${size}\n${text}\n`);
  writeFileSync(new URL(`${name}.txt`, TEXTS), parts.join('\n'));
}
