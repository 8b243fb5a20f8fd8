import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FILE_STEPS, type FileSteps, patchTool } from '../../src/tools/patch/tool.ts';

let root = '';
let tree = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-patch-tree-')));
  tree = join(root, 'project');
  for (const folder of ['src', '.git', '.vscode', '.github/workflows'])
    mkdirSync(join(tree, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function patch(path: string, where: string | null = tree) {
  const call = { path, patches: [{ operation: 'append_eof', newText: 'x\n' }] };
  return patchTool().run(call, { cwd: tree, signal: AbortSignal.timeout(5000), tree: where });
}

describe('patch in Project mode', () => {
  it('changes and creates files of the tree', async () => {
    writeFileSync(join(tree, 'src', 'a'), 'a\n');
    expect(await patch('src/a')).toMatchObject({ failed: false });
    expect(await patch('src/new')).toMatchObject({ failed: false });
    expect(readFileSync(join(tree, 'src', 'a'), 'utf8')).toBe('a\nx\n');
  });

  it('reaches nothing outside, neither by .., a link, nor another name of a file there', async () => {
    writeFileSync(join(root, 'outside'), 'mine\n');
    mkdirSync(`${tree}-too`);
    symlinkSync(join(root, 'outside'), join(tree, 'link'));
    symlinkSync(root, join(tree, 'up'));
    linkSync(join(root, 'outside'), join(tree, 'hard'));
    for (const path of ['../outside', '../project-too/new', 'link', 'up/outside', 'up/new', 'hard', '/etc/new'])
      expect((await patch(path)).text, path).toContain('Use request_mode_upgrade');
    expect(readFileSync(join(root, 'outside'), 'utf8')).toBe('mine\n');
  });

  it('is not misled by a link that replaces a directory meanwhile', async () => {
    const swapped = (at: keyof FileSteps, name: string) => {
      const swap = () => {
        renameSync(join(tree, 'src'), join(tree, 'src0'));
        symlinkSync(join(root, 'outside'), join(tree, 'src'));
      };
      const steps: FileSteps = { ...FILE_STEPS };
      const step = FILE_STEPS[at] as (...args: unknown[]) => Promise<unknown>;
      let done = false;
      Object.assign(steps, {
        [at]: (...args: unknown[]) => {
          if (!done) swap();
          done = true;
          return step(...args);
        },
      });
      const call = { path: `src/${name}`, patches: [{ operation: 'append_eof', newText: 'x\n' }] };
      return patchTool({ steps }).run(call, { cwd: tree, signal: AbortSignal.timeout(5000), tree });
    };
    for (const [at, name] of [
      ['open', 'a'],
      ['rename', 'a'],
      ['open', 'new'],
      ['link', 'new'],
    ] as const) {
      for (const place of ['project/src', 'project/src0', 'outside'])
        rmSync(join(root, place), { recursive: true, force: true });
      for (const place of [join(tree, 'src'), join(root, 'outside')]) {
        mkdirSync(place);
        writeFileSync(join(place, 'a'), 'mine\n');
      }
      await swapped(at, name);
      expect(readdirSync(join(root, 'outside')), `${at} ${name}`).toEqual(['a']);
      expect(readFileSync(join(root, 'outside', 'a'), 'utf8'), `${at} ${name}`).toBe('mine\n');
    }
  });

  it('does not touch files that other programs run later', async () => {
    const paths = [
      '.git/config',
      '.envrc',
      'src/.envrc',
      '.vscode/tasks.json',
      '.github/workflows/ci.yml',
      'AGENTS.md',
    ];
    for (const path of paths) expect(await patch(path), path).toMatchObject({ failed: true });
  });

  it('changes nothing where there is no tree', async () => {
    expect((await patch('src/new', null)).text).toContain('no tree here');
  });
});

it('patch changes none of aish-tui’s own files, in any mode and by any name', async () => {
  const own = join(root, 'aish');
  mkdirSync(own);
  writeFileSync(join(own, 'config.jsonc'), '{}\n');
  symlinkSync(own, join(tree, 'link'));
  const tool = patchTool({ isOwn: (file) => file.startsWith(`${own}/`) });
  for (const path of [join(own, 'config.jsonc'), 'link/config.jsonc', 'link/new', '../aish/config.jsonc']) {
    const call = { path, patches: [{ operation: 'append_eof', newText: 'x\n' }] };
    const { failed, text } = await tool.run(call, { cwd: tree, signal: AbortSignal.timeout(5000), destructive: true });
    expect([failed, text]).toEqual([true, `${path} belongs to aish-tui itself; only the user changes it`]);
  }
  expect(readdirSync(own)).toEqual(['config.jsonc']);
  expect(readFileSync(join(own, 'config.jsonc'), 'utf8')).toBe('{}\n');
});
