import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { galleryPage, SHOWN } from '../../docs/generate/gallery.ts';
import { lacks } from '../support/lacks.ts';
import { capture, LOOKS, pictureName, picturesOf, SIZES, steadyText } from './capture.ts';
import { SCENES } from './scenes.ts';

/**
 * `npm run check -- gallery` plays every scene, and in light and without colour as well; otherwise every fifth is
 * played.
 */
const whole = process.env.AISH_GALLERY === 'all';
const looks = whole ? LOOKS : (['dark'] as const);
const played = SCENES.filter((_, index) => whole || index % 5 === 0);

// A HALT offers a trial where the kernel launcher can be built.
describe.skipIf(lacks('cc'))('the gallery in the real program', () => {
  describe.each(looks)('with the look %s', (look) => {
    it.each(played.map((scene) => [scene.name, scene] as const))('shows %s like its picture', async (_name, scene) => {
      const pictures = picturesOf(scene);
      await capture(scene, look, look === 'dark' ? SIZES : SIZES.slice(0, 1), async (size, rig) => {
        const picture = pictures.get(pictureName(size, look));
        await rig.waitFor(() => steadyText(rig, size) === picture, 10_000).catch(() => {});
        expect(steadyText(rig, size), `${scene.name} at ${size}`).toBe(picture);
      });
    });
  });
});

it('the gallery page shows at most fifteen scenes, each with its picture, and scene names are unique', () => {
  expect(new Set(SCENES.map(({ name }) => name)).size).toBe(SCENES.length);
  expect(SCENES.length).toBeGreaterThanOrEqual(40);
  expect(SHOWN.size).toBeLessThanOrEqual(15);
  expect(readdirSync(new URL('../../docs/gallery', import.meta.url)).sort()).toEqual(
    SCENES.flatMap(({ name }) => (SHOWN.has(name) ? [`${name}.svg`] : [])).sort(),
  );
  expect(readFileSync(new URL('../../docs/gallery.md', import.meta.url), 'utf8')).toBe(galleryPage());
});
