/**
 * Somebody else's changes in a project raise no question about git, and names that are not UTF-8 are set aside and
 * restored.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { nameText } from '../../../src/text/spelled.ts';
import { AsideScene } from './aside-scene.ts';
import { trialsWork } from './trial-support.ts';

const scene = new AsideScene();
const put = (name: string, text: string) => scene.put(name, text);
const act = (command: string) => scene.act(command);
const during = (command: string, change: () => void) => scene.during(command, change);
let tree: string;
beforeEach(() => {
  ({ tree } = scene);
});

describe.skipIf(!trialsWork())('what is set aside', () => {
  it('does not include another repository that somebody else uses, nor git’s own data there', async () => {
    scene.open({ now: () => Date.now() + 5000 }); // These directories look as if they had existed for a while.
    for (const name of ['sub/.git', '.git', '.git/modules/a/b', '.git/worktrees/w']) put(`${name}/HEAD`, 'x\n');
    const used = ['sub/.git/index.lock', '.git/modules/a/b/index', '.git/modules/a/b/x.lock', '.git/worktrees/w/index'];
    expect(
      await during('echo mine >> sub/.git/index', () => {
        for (const name of used) put(name, '');
      }),
    ).toBeUndefined();
    for (const name of ['go', 'ordinary']) rmSync(join(tree, name));
    const left = await during('true', () => put('.git/modules/a/b/config', 'evil\n'));
    expect(left?.items).toEqual([expect.stringMatching(/^\.git\/modules\/a\/b\/config is git's own \(changed/)]);
  });

  it('includes a repository that was replaced meanwhile', async () => {
    put('sub/.git/HEAD', 'old\n');
    put('bundle/HEAD', 'new\n');
    const left = await during('true', () => {
      renameSync(join(tree, 'sub/.git'), join(tree, 'away'));
      renameSync(join(tree, 'bundle'), join(tree, 'sub/.git'));
    });
    expect(left?.items).toEqual([expect.stringMatching(/^sub\/\.git is git's own \(changed/)]);
  });

  it('can have names that are not UTF-8, and is restored under them', async () => {
    const raw = (...names: readonly string[]) => names.map((name) => Buffer.from(`${tree}/${name}`, 'latin1'));
    const [one, two, whole] = raw('d\xe9/.envrc', 'd\xe8/.envrc', 'x\xff');
    for (const directory of raw('d\xe9', 'd\xe8', 'x\xff')) mkdirSync(directory);
    const left = await act(
      "echo 1 > $'d\\xe9/.envrc'; echo 2 > $'d\\xe8/.envrc'; echo 3 > $'x\\xff/.envrc'; echo x > $'d\\xe9/kept'",
    );
    expect(left?.items.map((item) => nameText(item))).toEqual(
      ['d⟨xE8⟩', 'd⟨xE9⟩', 'x⟨xFF⟩'].map((name) => `${name}/.envrc is run by shells and editors`),
    );
    const is = (path: Buffer | undefined) => existsSync(path ?? '');
    expect([is(one), is(two), is(whole)]).toEqual([false, false, true]);
    expect(left?.diff).toContain('+2');
    expect(await left?.settle(true)).toMatch(/^the user accepted: d⟨xE8⟩\/\.envrc/);
    expect([one, two].map((path) => readFileSync(path ?? '', 'utf8'))).toEqual(['1\n', '2\n']);
    expect((await scene.store.preview(1)).text).toContain('d⟨xE8⟩/.envrc goes');
    expect(await scene.store.undo(1)).toMatchObject({ ok: true });
    expect([is(one), is(two)]).toEqual([false, false]);
  });
});
