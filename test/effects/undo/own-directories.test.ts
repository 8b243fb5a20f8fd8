/** No kept command of a model can change aish-tui's own directories (MO-12). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { makeScene, type Scene } from './scene.ts';

describe.skipIf(lacks('cc'))('aish-tui’s own directories', () => {
  let tools: Tools;
  let scene: Scene;
  let own: string;
  beforeAll(async () => {
    tools = await buildTools();
    scene = makeScene(tools.launcher);
    own = join(scene.tree, '.config/aish');
    mkdirSync(join(own, 'below'), { recursive: true });
    writeFileSync(join(own, 'config.jsonc'), '{}\n');
    writeFileSync(join(own, 'below/trust'), 'none\n');
  });
  afterAll(() => {
    scene.dispose();
    tools.dispose();
  });

  it.each([
    ['written to', 'echo x >> .config/aish/config.jsonc'],
    ['linked under another name', 'ln -s .config/aish/below/trust link && echo x >> link'],
    ['replaced', 'echo x > other && mv other .config/aish/config.jsonc'],
    ['removed', 'rm -r .config/aish'],
    ['moved away with the directory above it', 'mv .config gone'],
    ['linked under another name', 'ln .config/aish/config.jsonc second && echo x >> second'],
    ['made accessible to others', 'chmod 666 .config/aish/config.jsonc'],
    ['added to by another file', 'mkdir -p .config/aish/below/deep && touch .config/aish/below/deep/new'],
  ])('cannot be %s', async (_, script) => {
    const { code, out } = await scene.keep(script, { own: [own] });
    expect(code).not.toBe(0);
    expect(out).toMatch(/Permission denied/);
    expect(readFileSync(join(own, 'config.jsonc'), 'utf8')).toBe('{}\n');
    expect(readFileSync(join(own, 'below/trust'), 'utf8')).toBe('none\n');
    expect(existsSync(join(own, 'below/deep'))).toBe(false);
  });

  it('can be read, and everything beside them can be written', async () => {
    const { code, out } = await scene.keep('cat .config/aish/config.jsonc; echo y > .config/mine; cat .config/mine', {
      own: [own, join(scene.root, 'not-there')],
    });
    expect([code, out]).toEqual([0, '{}\ny\n']);
  });
});
