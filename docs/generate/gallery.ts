/**
 * Makes docs/gallery.md, its pictures, and the texts that the tests compare with: `node docs/generate/gallery.ts [NAME …]`,
 * all of them or those named. To be looked at before it is committed.
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
/** The screen is taken as it is when it has not changed for so long, in ms. */
const REST_MS = 500;
const LOOK_EVERY_MS = 50;
/** Shown at every size. */
const AT_EVERY_SIZE: ReadonlySet<string> = new Set(['start', 'answer', 'halt-three', 'run', 'palette']);

const HEAD = `# What it looks like

Every state below is the real program, driven in a real terminal by the tests: they play each one at 80×24, 40×10, 120×40
and 200×60 and compare the screen with its text in \`test/gallery/text\`. Dark is shown; light and without colour are one
click away. Made by \`node docs/generate/gallery.ts\`.
`;

/** The whole page. */
export function galleryPage(): string {
  const chapters = Object.entries(CHAPTERS).map(
    ([title, scenes]) => `## ${title}\n\n${scenes.map(part).join('\n\n')}\n`,
  );
  return `${HEAD}\n${chapters.join('\n')}`;
}

function part({ name, title }: Scene): string {
  const sizes = AT_EVERY_SIZE.has(name) ? SIZES.slice(1) : [];
  const links = [
    ...LOOKS.slice(1).map((look) => `[${look === 'none' ? 'without colour' : look}](gallery/${fileOf(name, look)})`),
    ...sizes.map((size) => `[${size.replace('x', '×')}](gallery/${fileOf(name, 'dark', size)})`),
  ];
  return `**${title}** · ${links.join(' · ')}\n\n![${title}](gallery/${fileOf(name, 'dark')})`;
}

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
      if (size !== SIZES[0] && !AT_EVERY_SIZE.has(scene.name)) return;
      const columns = Number(size.split('x')[0]);
      const svg = screenToSvg(steadyRuns(rig), columns, scene.title, look === 'light' ? 'light' : 'dark');
      writeFileSync(new URL(`gallery/${fileOf(scene.name, look, size)}`, DOCS), svg);
    });
  }
  keepPictures(scene, texts);
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2);
  mkdirSync(new URL('gallery/', DOCS), { recursive: true });
  for (const scene of SCENES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const problem = await paint(scene).then(() => '', messageOf);
    console.log(scene.name, problem);
    if (problem !== '') process.exitCode = 1;
  }
  writeFileSync(new URL('gallery.md', DOCS), galleryPage());
}
