import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { LINTER } from '../support/linters.ts';
import { readSources, violations } from './architecture.ts';

/** Returns the violations of a project with these files; a file that is only imported is empty. */
function said(files: Readonly<Record<string, string>>): readonly string[] {
  return violations(new Map(Object.entries(files)));
}

const value = (from: string) => `import { thing } from '${from}';\n`;

describe('the import rule', () => {
  it('is followed in this project', () => {
    expect(violations(readSources())).toEqual([]);
  });

  it.each([
    ['components/App.tsx', '../hooks/useSession.ts'],
    ['components/App.tsx', '../src/ui/screen/overlay.ts'],
    ['hooks/useSession.ts', '../src/engine/engine.ts'],
    ['src/commands/table.ts', '../engine/engine.ts'],
    ['src/engine/engine.ts', '../contracts/models.ts'],
    ['src/broker/broker.ts', './wire.ts'],
    ['src/broker/broker.ts', '../session/message.ts'],
    ['src/cli.ts', './cli/main.ts'],
    ['src/cli/main.ts', '../app/assembly.ts'],
    ['src/app/assembly.ts', '../executor/index.ts'],
    ['src/session/reduce.ts', '../text/glob.ts'],
    ['src/ui/keymap/resolver.ts', '../terminal/token.ts'],
    ['test/e2e/x.test.ts', '../../src/engine/engine.ts'],
  ])('allows %s to import %s', (from, to) => {
    expect(said({ [from]: value(to) })).toEqual([]);
  });

  it.each([
    ['hooks/useSession.ts', '../components/App.tsx', 'not from components'],
    ['components/App.tsx', '../src/engine/engine.ts', 'not from engine'],
    ['components/App.tsx', '../src/session/state.ts', 'not from session'],
    ['src/engine/engine.ts', '../commands/table.ts', 'not from commands'],
    ['src/broker/broker.ts', '../engine/engine.ts', 'not from engine'],
    ['src/broker/broker.ts', '../executor/index.ts', 'not from executor'],
    ['src/session/reduce.ts', '../store/index.ts', 'not from store'],
    ['src/session/reduce.ts', 'node:fs', 'pure'],
    ['src/session/reduce.ts', 'ajv', 'pure'],
    ['src/engine/engine.ts', '../app/assembly.ts', 'not from app'],
    ['src/app/assembly.ts', '../cli/main.ts', 'not from cli'],
    ['src/ui/render/markdown.ts', '../../engine/engine.ts', 'not from engine'],
    ['src/ui/terminal/tokenizer.ts', '../screen/screen.ts', 'not from ui/screen'],
    ['src/text/display.ts', '../session/action.ts', 'may import nothing'],
    ['src/engine/engine.ts', '../../test/support/rig.ts', 'nothing of the program imports'],
    ['src/cli/main.ts', '../../components/main.tsx', 'import()'],
    ['src/engine/engine.ts', 'react', 'without a screen'],
    ['src/engine/engine.ts', 'ink-text-input', 'without a screen'],
    ['src/helpers/index.ts', './x.ts', 'rooms'],
    ['src/engine/view.tsx', './x.ts', 'no JSX'],
    ['hooks/x.ts', 'fs', 'write node:fs'],
  ])('forbids %s to import %s', (from, to, why) => {
    expect(said({ [from]: value(to) })).toEqual([expect.stringContaining(why)]);
  });

  it('detects every form of import, with its line', () => {
    const forms = [
      `import type { Thing } from '../engine/engine.ts';`,
      `import {\n  one,\n  two,\n} from '../engine/engine.ts';`,
      `export * from '../engine/engine.ts';`,
      `import '../engine/engine.ts';`,
      `const lazy = await import('../engine/engine.ts');`,
      `type Thing = import('../engine/engine.ts').Thing;`,
    ];
    for (const form of forms) {
      expect(said({ 'src/broker/broker.ts': `// A comment.\n${form}\n` })).toEqual([
        expect.stringMatching(/^src\/broker\/broker\.ts:2: imports src\/engine\/engine\.ts/),
      ]);
    }
  });

  it('lets the command-line entry point load the screen’s modules on demand', () => {
    expect(said({ 'src/cli/main.ts': `const screen = () => import('../../components/main.tsx');\n` })).toEqual([]);
  });

  it.skipIf(lacks(LINTER))('leaves circular imports to the linter, which finds them for types too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'aish-circle-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'a.ts'), `import type { B } from './b.ts';\nexport type A = B | 1;\n`);
    writeFileSync(join(folder, 'b.ts'), `export type { C as B } from './c.ts';\n`);
    writeFileSync(join(folder, 'c.ts'), `import type { A } from './a.ts';\nexport type C = A | 2;\n`);
    const { status, stdout } = spawnSync('node_modules/.bin/oxlint', ['-c', '.oxlintrc.json', folder]);
    expect(stdout.toString()).toContain('no-cycle');
    expect(status).toBe(1);
  });

  it('reports a file of more than 800 lines', () => {
    expect(said({ 'test/x.test.ts': '//\n'.repeat(800) })).toEqual([]);
    expect(said({ 'test/x.test.ts': '//\n'.repeat(801) })).toEqual([expect.stringContaining('801 lines')]);
  });

  it('reports a comment, or a line of C, of more than 120 columns, and a long regular expression', () => {
    const long = 'x'.repeat(118);
    expect(said({ 'src/text/x.ts': `// ${long}`, 'src/effects/launcher/x.c': `a ${long};` })).toHaveLength(2);
    expect(said({ 'src/text/z.ts': `const a = /^${'ab|'.repeat(80)}c$/i;` })).toHaveLength(1);
    expect(said({ 'src/text/x.ts': `// ${long.slice(1)}`, 'src/text/y.ts': `const a = '${long}';` })).toEqual([]);
  });
});
