/**
 * Makes docs/gallery.md, its pictures, and the texts that the tests compare with: `node docs/generate/gallery.ts [NAME …]`,
 * all scenes or those named. Every look and size goes into `.gallery`, which is not in the repository. Look at the result
 * before you commit it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../src/text/errors.ts';
import {
  capture,
  keepPictures,
  LOOKS,
  type Look,
  pictureName,
  SIZES,
  type Size,
  steadyRuns,
  steadyText,
} from '../../test/gallery/capture.ts';
import type { Scene } from '../../test/gallery/scene.ts';
import { CHAPTERS, SCENES } from '../../test/gallery/scenes.ts';
import type { Rig } from '../../test/support/rig.ts';
import { screenToSvg } from '../picture/svg.ts';

const DOCS = new URL('../', import.meta.url);
const ALL = new URL('../.gallery/', DOCS);
/** The screen is taken as it is when it has not changed for so long, in ms. */
const REST_MS = 500;
const LOOK_EVERY_MS = 50;
/** The pictures of docs/gallery.md: few, since each one is in the history of the repository for good. */
export const SHOWN: ReadonlySet<string> = new Set([
  'start',
  'first-halt',
  'first-run',
  'first-undo',
  'prompt-command',
  'failed',
  'answer',
  'consent',
  'mode',
  'halt-three',
  'halt-tried',
  'run',
  'run-end',
  'undo',
  'palette',
]);

const HEAD = `# What it looks like

Each picture is the real program in a real terminal. The tests play these and ${SCENES.length - SHOWN.size} more states at 80×24, 40×10, 120×40 and
200×60, and compare the screen with its text in \`test/gallery/text\`.

\`node docs/generate/gallery.ts\` makes this page, and pictures of all states in \`.gallery\`: dark, light, without colour
and at every size.
`;

/** The whole page. */
export function galleryPage(): string {
  const chapters = Object.entries(CHAPTERS).map(
    ([title, scenes]) =>
      `## ${title}\n\n${scenes
        .filter(({ name }) => SHOWN.has(name))
        .map(part)
        .join('\n\n')}\n`,
  );
  return `${HEAD}\n${chapters.join('\n')}`;
}

const part = ({ name, title }: Scene) => `**${title}**\n\n![${title}](gallery/${fileOf(name, 'dark')})`;

function fileOf(name: string, look: Look, size: Size = SIZES[0]): string {
  return `${name}${look === 'dark' ? '' : `.${look}`}${size === SIZES[0] ? '' : `.${size}`}.svg`;
}

async function atRest(rig: Rig, size: Size): Promise<void> {
  for (let [last, since] = ['', performance.now()]; performance.now() - since < REST_MS; ) {
    const now = steadyText(rig, size);
    // A question takes keys a moment after it was drawn.
    if (now !== last || now.includes('ready in a moment')) [last, since] = [now, performance.now()];
    await wait(LOOK_EVERY_MS);
  }
}

async function paint(scene: Scene): Promise<void> {
  const texts = new Map<string, string>();
  for (const look of LOOKS) {
    await capture(scene, look, look === 'dark' ? SIZES : SIZES.slice(0, 1), async (size, rig) => {
      await atRest(rig, size);
      if (look !== 'light') texts.set(pictureName(size, look), steadyText(rig, size));
      const columns = Number(size.split('x')[0]);
      const svg = screenToSvg(steadyRuns(rig), columns, scene.title, look === 'light' ? 'light' : 'dark');
      const file = fileOf(scene.name, look, size);
      writeFileSync(new URL(file, ALL), svg);
      if (SHOWN.has(file.replace(/\.svg$/, ''))) writeFileSync(new URL(`gallery/${file}`, DOCS), svg);
    });
  }
  keepPictures(scene, texts);
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2);
  mkdirSync(ALL, { recursive: true });
  for (const scene of SCENES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const problem = await paint(scene).then(() => '', messageOf);
    console.log(scene.name, problem);
    if (problem !== '') process.exitCode = 1;
  }
  writeFileSync(new URL('gallery.md', DOCS), galleryPage());
}
