/** The package as npm packs it, from a build of its own; `npm run release` installs it and starts it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../release/manifest.ts';
import { type Packed, pack, stage } from '../../release/stage.ts';

let place: string;
let folder: string;
let packed: Packed;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'aish-package-'));
  folder = join(place, 'package');
  stage(readManifest(), ['@aish-tui/sandbox-linux-x64'], folder);
  packed = pack(folder, place);
});
afterAll(() => rmSync(place, { recursive: true }));

describe('the package', () => {
  it('stays below 4 MB packed and 11 MB unpacked', () => {
    expect(packed.bytes).toBeLessThan(4e6);
    expect(packed.unpacked).toBeLessThan(11_000_000);
    expect(statSync(packed.file).size).toBe(packed.bytes);
  });

  it('contains one build: every chunk is reachable from its entry point', () => {
    const dist = join(folder, 'dist');
    const chunks = readdirSync(dist).filter((name) => name.endsWith('.mjs'));
    const reached = new Set<string>();
    const visit = (name: string) => {
      if (reached.has(name)) return;
      reached.add(name);
      const text = readFileSync(join(dist, name), 'utf8');
      for (const other of chunks) if (text.includes(other)) visit(other);
    };
    visit('aish-tui.mjs');
    expect(chunks.filter((name) => !reached.has(name))).toEqual([]);
  });

  it('contains the licences and the manual, and neither sources nor a launcher built for this machine', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const wanted of [
      'LICENSE',
      'aish-sandbox.apparmor',
      'THIRD-PARTY-NOTICES',
      'README.md',
      'docs/guide.md',
      'docs/aish-tui.1',
      'dist/config.schema.json',
    ])
      expect(files).toContain(wanted);
    expect(files.filter((file) => /\.tsx?$|aish-sandbox$|node_modules/.test(file))).toEqual([]);
    const text = readFileSync(join(folder, 'THIRD-PARTY-NOTICES'), 'utf8');
    for (const bundled of ['ink 8', 'openai 7', '@modelcontextprotocol/sdk 1', 'gpt-tokenizer 4'])
      expect(text).toContain(`\n${bundled}`);
  });

  it('needs an empty directory: a build into a used one would include unused files', () => {
    mkdirSync(join(place, 'used'));
    expect(() => stage(readManifest(), [], join(place, 'used'))).toThrow('EEXIST');
  });
});
