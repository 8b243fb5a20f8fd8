/**
 * Files that commands in Project leave for others to run later are set aside until the user decides. Files made by the
 * session are exempt.
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { AsideScene } from './aside-scene.ts';
import { snapshot } from './scene.ts';
import { trialsWork } from './trial-support.ts';

const scene = new AsideScene();
const put = (name: string, text: string) => scene.put(name, text);
const act = (command: string) => scene.act(command);
const during = (command: string, change: () => void) => scene.during(command, change);
let root: string;
let tree: string;
beforeEach(() => {
  ({ root, tree } = scene);
});

/** A process id that no process has. */
const GONE = 2 ** 22 + 1;

const there = (inTree = true) => [...snapshot(tree, inTree)];

describe.skipIf(!trialsWork())('a file that other programs run later', () => {
  it('is looked for before aish-tui restarts anything automatically', async () => {
    const running = during(': > .envrc', () => expect(scene.store.runsInProject).toBe(true));
    expect(await running).toBeDefined();
    expect(scene.store.runsInProject).toBe(false);
    const keeping = await scene.runKept(': > .envrc');
    const left = keeping.end(true);
    expect([scene.store.runsInProject, existsSync(join(tree, '.envrc'))]).toEqual([true, true]);
    await left;
    expect([scene.store.runsInProject, existsSync(join(tree, '.envrc'))]).toEqual([false, false]);
  });

  it.each([
    ['echo "make x" > .envrc', ['.envrc is run by shells and editors']],
    ['mkdir .vscode && echo {} > .vscode/tasks.json', ['.vscode is run by shells and editors']],
    ['mkdir -p deep/er && git init -q deep/er', ["deep/er/.git is git's own"]],
    [
      'echo evil >> old/.git/config; echo x > old/.git/hooks/pre-commit',
      ["old/.git/config is git's own", "old/.git/hooks/pre-commit is git's own"],
    ],
    ['echo "gitdir: /elsewhere" > sub && mkdir m && mv sub m/.git', ["m/.git is git's own"]],
    [
      'echo obey > docs/AGENTS.md; echo "# mine" > CLAUDE.md',
      ['CLAUDE.md is obeyed by agents', 'docs/AGENTS.md is obeyed by agents'],
    ],
    ['mkdir -p .github/workflows && echo on: push > .github/workflows/a.yml', ['.github/workflows is run by the CI']],
    ['chmod +x .husky/pre-push', ['.husky/pre-push is run by shells and editors']],
    ['mv bundle .vscode', ['.vscode is run by shells and editors']],
    ['mv nest v', ['v brings .envrc, which is run by shells and editors']],
    ['ln -s script .envrc', ['.envrc is run by shells and editors']],
    [
      'mkdir b && cd b && mkdir objects refs && echo "ref: x" > HEAD && echo "[core]" > config',
      [
        'b/HEAD makes its directory a git repository',
        'b/config makes its directory a git repository',
        'b/objects makes its directory a git repository',
        'b/refs makes its directory a git repository',
      ],
    ],
    [
      'mkdir b real real/objects real/refs && echo "ref: x" > b/HEAD && echo ../real > b/commondir && echo "[core]" > real/config',
      ['b/HEAD makes its directory a git repository', 'b/commondir makes its directory a git repository'],
    ],
    ['echo hi > docs/.VSCode', ['docs/.VSCode is run by shells and editors']],
    ['mkdir .cargo && echo x > .cargo/config.toml', ['.cargo/config.toml is obeyed by package managers']],
    ['echo x > .pre-commit-config.yaml', ['.pre-commit-config.yaml is run by shells and editors']],
    ['mkdir docs/.hg && echo "[hooks]" > docs/.hg/hgrc', ['docs/.hg/hgrc is obeyed by version control']],
    [
      'mkdir -p .forgejo/workflows && echo on: push > .forgejo/workflows/a.yml',
      ['.forgejo/workflows is run by the CI'],
    ],
    [
      'mkdir -p old/.git/objects/info; echo /x > old/.git/objects/info/alternates; mkdir old/.git/remotes; echo "URL: x" > old/.git/remotes/origin',
      ["old/.git/objects/info/alternates is git's own", "old/.git/remotes is git's own"],
    ],
  ])('is set aside when a command leaves it: %s', async (command, expected) => {
    put('docs/a.md', 'a\n');
    put('CLAUDE.md', 'old\n');
    put('.husky/pre-push', '#!/bin/sh\n');
    put('old/.git/config', '[core]\n');
    put('old/.git/hooks/x', '');
    put('bundle/tasks.json', '{}\n');
    put('nest/.envrc', 'x\n');
    put('script', 'x\n');
    const before = there();
    const left = await act(`${command}; echo kept > ordinary`);
    expect(left?.items).toEqual(expected);
    const aside = there().filter(([path]) => !path.endsWith('/ordinary'));
    // Only directories without other contents remain of the repository.
    const old = new Map(before);
    for (const [path] of aside)
      if (!old.has(path))
        expect(path, path).toMatch(
          /\/(deep|er|m|\.github|v|b|real|objects|refs|config|\.hg|\.cargo|\.forgejo|m|rebase-merge|done|info)$/,
        );
    expect(readFileSync(join(tree, 'CLAUDE.md'), 'utf8')).toBe('old\n');
    expect(await left?.settle(true)).toMatch(/^the user accepted: /);
    const accepted = new Map(there());
    for (const item of expected) expect(accepted.has(join(tree, item.split(' ')[0] ?? '')), item).toBe(true);
    expect((await scene.store.undo('last')).text).toContain('undone: ');
    expect(there().map(([path]) => path)).toEqual(before.map(([path]) => path));
  });

  it('is put back as the command left it only after a yes, and the rest of the action can still be undone', async () => {
    put('.tool-versions', 'old\n');
    put('a', 'old\n');
    const before = there();
    const command =
      'echo new > .tool-versions; chmod 755 .tool-versions; echo new > a; mkdir .husky; echo x > .husky/pre-push';
    const refused = await act(command);
    expect(readFileSync(join(tree, '.tool-versions'), 'utf8')).toBe('old\n');
    expect(refused?.diff).toMatch(/-old\n\+new/);
    expect(await refused?.settle(false)).toMatch(
      /^set aside, and not in the project: \.husky .*; \.tool-versions .*has not accepted it$/,
    );
    expect(existsSync(join(tree, '.husky'))).toBe(false);
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('new\n');
    expect(await scene.store.undo('last')).toMatchObject({ ok: true });
    const content = (entries: readonly (readonly [string, string])[]) => entries.filter(([path]) => path !== tree);
    expect(content(there())).toEqual(content(before));
    const accepted = await act(command);
    await accepted?.settle(true);
    expect(readFileSync(join(tree, '.tool-versions'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(tree, '.husky', 'pre-push'), 'utf8')).toBe('x\n');
  });

  it('is reported with all other changes of an action once it has ended', async () => {
    const told: string[] = [];
    scene.open({ changed: (files) => told.push(...files) });
    put('server.js', 'old\n');
    await act('echo new > server.js; echo x > lib.js');
    await scene.store.looking;
    expect(told.sort()).toEqual([join(tree, 'lib.js'), join(tree, 'server.js')]);
  });

  it('stays in place with a message when it may contain a password, since no copy is kept', async () => {
    put('.npmrc', 'token=old\n');
    const left = await act('echo token=new > .npmrc; echo x > .tool-versions');
    expect(left?.items).toEqual([
      expect.stringMatching(/^\.npmrc is obeyed by package managers \(.*it stays in place\)$/),
      '.tool-versions is run by shells and editors',
    ]);
    expect([existsSync(join(tree, '.tool-versions')), readFileSync(join(tree, '.npmrc'), 'utf8')]).toEqual([
      false,
      'token=new\n',
    ]);
  });

  it('also waits for the user’s decision when its change was not recorded, and is reported as still in place', async () => {
    put('CLAUDE.md', 'old\n');
    const left = await during('true', () => {
      for (const name of ['.envrc', 'CLAUDE.md', 'plain']) put(name, 'of somebody\n');
    });
    const said = '(changed while the command ran and not kept: it stays in place)';
    expect(left?.items).toEqual([
      `.envrc is run by shells and editors ${said}`,
      `CLAUDE.md is obeyed by agents ${said}`,
    ]);
    expect(left?.diff).toContain('+of somebody');
    expect(await left?.settle(false)).toMatch(/^still in the project: .envrc .*has not accepted it$/);
    expect(readFileSync(join(tree, '.envrc'), 'utf8')).toBe('of somebody\n');
  });

  it('is not suspected when somebody else used git in an existing repository meanwhile', async () => {
    put('.git/HEAD', 'ref: refs/heads/x\n');
    expect(await during('echo mine > .git/index', () => put('.git/index.lock', ''))).toBeUndefined();
    expect(readFileSync(join(tree, '.git/index'), 'utf8')).toBe('mine\n');
  });

  it.each([
    ['is a repository that somebody else moved here', () => renameSync(join(tree, 'bundle'), join(tree, '.git'))],
    ['is a file that somebody else wrote to', () => put('.git', 'gitdir: evil\n')],
  ])('can be a .git that %s meanwhile', async (how, change) => {
    put(how.includes('file') ? '.git' : 'bundle/HEAD', 'old\n');
    const left = await during('true', change);
    expect(left?.items).toEqual([expect.stringMatching(/^\.git is git's own \(changed/)]);
    expect(await left?.settle(true)).toMatch(/^the user accepted: \.git/);
  });

  it('is set aside without other files that changed around it', async () => {
    put('sub/.git/HEAD', 'ref: refs/heads/x\n');
    const left = await during(
      'echo mine > sub/.git/index; mkdir sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit',
      () => {
        put('sub/.git/index.lock', '');
        put('CLAUDE.md', 'of somebody\n');
      },
    );
    expect(left?.items.map((item) => item.split(' ')[0])).toEqual(['CLAUDE.md', 'sub/.git', 'sub/.git/hooks']);
    expect(readFileSync(join(tree, 'sub/.git/index'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(tree, 'sub/.git/hooks'))).toBe(false);
    expect(await left?.settle(false)).toMatch(
      /^set aside, and not in the project: sub\/\.git\/hooks is git's own; still in the project: CLAUDE\.md [^;]*; sub\/\.git [^;]*\. The user has not accepted it$/,
    );
  });

  it('is every file that a shell, editor, package manager, debugger or agent obeys by its name', async () => {
    const files =
      '.cargo/config.toml .Rprofile .irbrc .bundle/config .mvn/jvm.config .bazelrc bunfig.toml .tool-versions .lvimrc pip.conf .vs/x .simple-git-hooks.json .pypirc .pryrc .pythonrc .gdbinit .lldbinit .ycm_extra_conf.py .vimrc .exrc gradle/wrapper/gradle-wrapper.properties .yarnrc .yarnrc.yml .yarn/releases/y.cjs .pnpmfile.cjs .pnpmrc .devcontainer/devcontainer.json .idea/workspace.xml .zed/tasks.json .cursor/rules .claude/settings.json .mise.toml .bashrc .config/fish/config.fish .rtx.toml .lintstagedrc';
    const left = await act(
      `for f in ${files}; do mkdir -p "$(dirname "$f")"; echo x > "$f"; done; echo x > .editorconfig; echo x > .gitattributes; echo 20 > .nvmrc; mkdir gradle/libs; echo x > configuration.toml`,
    );
    const named = left?.items.map((item) => item.split(' ')[0] ?? '') ?? [];
    const missing = files
      .split(' ')
      .filter((file) => !named.some((each) => file === each || file.startsWith(`${each}/`)));
    expect(missing).toEqual([]);
    expect(readdirSync(tree).sort()).toEqual(
      [
        '.cargo',
        '.config',
        '.editorconfig',
        '.bundle',
        '.gitattributes',
        '.nvmrc',
        '.yarn',
        'configuration.toml',
        'gradle',
      ].sort(),
    );
  });

  it('may have one of many names, but is not a source that a build reads', async () => {
    const files =
      'mise.local.toml .autoenv_leave.zsh .bash_enter .local.vimrc .git-hooks/pre-commit .sl/config _darcs/prefs/defaults .iex.exs .octaverc .erlang ipython_config.py .byebugrc .radare2rc tools/bazel user.bazelrc rust-toolchain.toml .buckconfig .pants.rc .venv/bin/activate venv/bin/python3 pyvenv.cfg .claude.json sitecustomize.py flake.nix prek.toml uv.toml';
    const ordinary =
      '.eslintrc.js ansible.cfg .env Makefile conftest.py default.nix deno.json gradle.properties pants.toml .venv/bin/tool .mocharc.js tools/run src/activate mise/a.ts bin/python config.py';
    for (const environment of ['.venv', 'venv']) put(`${environment}/bin/tool`, 'x\n');
    const left = await act(`for f in ${files} ${ordinary}; do mkdir -p "$(dirname "$f")"; echo x > "$f"; done`);
    const named = left?.items.map((item) => item.split(' ')[0] ?? '') ?? [];
    const waits = (file: string) => named.some((each) => file === each || file.startsWith(`${each}/`));
    expect(files.split(' ').filter((file) => !waits(file))).toEqual([]);
    expect(ordinary.split(' ').filter(waits)).toEqual([]);
  });

  it('does not count in a directory that the session itself made', async () => {
    put('venv/bin/tool', 'x\n');
    const environment = 'mkdir -p .venv/bin && echo x > .venv/bin/activate && echo x > .venv/pyvenv.cfg';
    expect(await act(`${environment}; mkdir -p new/sub; echo x > new/.envrc; echo x > new/sub/.npmrc`)).toBeUndefined();
    expect(await act('echo y > .venv/bin/activate.fish; mkdir new/.vscode; echo x > new/AGENTS.md')).toBeUndefined();
    expect((await act('echo x > venv/bin/activate'))?.items).toEqual([expect.stringMatching(/^venv\/bin\/activate /)]);
    scene.open();
    expect(await act('echo z > .venv/bin/activate')).toBeUndefined();
    scene.open({ session: 's2' });
    expect((await act('echo z > .venv/bin/activate'))?.items).toEqual([
      expect.stringMatching(/^\.venv\/bin\/activate /),
    ]);
  });

  it('is not found in ordinary work, nor in the data of a repository below', async () => {
    put('src/main.c', 'int x;\n');
    put('old/.git/HEAD', 'ref: refs/heads/x\n');
    put('README.md', 'hello\n');
    const left = await act(
      'sed -i s/x/y/ src/main.c; mkdir -p build .cache; cp src/main.c build; echo x > old/.git/index; mkdir -p old/.git/objects/ab; echo y >> README.md; rm -rf build; echo x > config; echo y > HEAD',
    );
    expect(left).toBeUndefined();
  });

  it('whose copy needs room in a full store causes a question about dropping older actions, and then has room', async () => {
    scene.open({ budgetBytes: 60_000, maxFileBytes: 50_000 });
    put('one', 'x'.repeat(40_000));
    put('two', 'x'.repeat(40_000));
    put('huge', 'x'.repeat(55_000));
    expect(await act('echo new >> one')).toBeUndefined();
    const hopeless = await act('echo new >> huge');
    if (hopeless === undefined && readFileSync(join(tree, 'huge'), 'utf8').endsWith('new\n')) return; // On this file system copies share blocks.
    expect(hopeless).toBeUndefined();
    const left = await act('echo new >> two');
    if (readFileSync(join(tree, 'two'), 'utf8').endsWith('new\n')) return;
    expect(left).toMatchObject({ about: 'room', items: [`${tree}/two was not changed`] });
    expect(await left?.settle(true)).toContain('there is room again');
    expect(await act('echo new >> two')).toBeUndefined();
    expect(readFileSync(join(tree, 'two'), 'utf8')).toMatch(/new\n$/);
  });
});

describe.skipIf(!trialsWork())('aish-tui closed before the answer', () => {
  const COMMAND = 'echo "make x" > .envrc; mkdir .vscode; echo {} > .vscode/tasks.json; echo kept > ordinary';
  const LATER = ['.envrc is run by shells and editors', '.vscode is run by shells and editors'];
  const names = () => readdirSync(tree).sort();
  /** Opens the next process of this session or another. */
  const again = async (session = 's1') => {
    scene.open({ session });
    return scene.store.waiting();
  };

  it.each([true, false])('asks again in its next process, and carries out the answer: %s', async (yes) => {
    await act(COMMAND);
    const [asked, ...more] = await again();
    expect(more).toEqual([]);
    expect(asked).toMatchObject({ command: COMMAND, left: { about: 'later', items: LATER } });
    expect(asked?.left.diff).toContain('+make x');
    expect(names()).toEqual(['ordinary']);
    expect(await asked?.left.settle(yes)).toMatch(
      yes ? /^the user accepted: / : /^set aside, and not in the project: /,
    );
    expect(names()).toEqual(yes ? ['.envrc', '.vscode', 'ordinary'] : ['ordinary']);
    expect(await again()).toEqual([]);
  });

  it('later sets aside leftovers that the closed process had no time to check, and asks; its action was interrupted as well', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await scene.runKept(COMMAND);
      // Lets the store believe that the action belongs to a process that has ended.
      forgetProcess();
      expect(names()).toContain('.envrc');
      const [asked] = await again();
      expect(asked?.left.items).toEqual(LATER);
      expect(names()).toEqual(['ordinary']);
      await asked?.left.settle(true);
      expect(names()).toEqual(['.envrc', '.vscode', 'ordinary']);
      expect(await again()).toEqual([]);
      expect((await scene.store.undo('last')).ok).toBe(true);
    }
  });

  it('sets leftovers of an unresumed session aside in another session, with a message and no question', async () => {
    await scene.runKept(COMMAND);
    forgetProcess();
    expect(await again('s2')).toEqual([]);
    expect(names()).toEqual(['ordinary']);
    const [, number] = /^set aside, since .*:undo (\d+) yes brings it$/.exec(scene.warnings.join('\n')) ?? [];
    expect(await scene.store.undo(Number(number))).toMatchObject({ ok: true });
    expect(names()).toEqual(['.envrc', '.vscode', 'ordinary']);
  });

  it.each([
    ['list', () => scene.store.list()],
    ['preview', () => scene.store.preview('last')],
  ])('sets leftovers of an unresumed session aside on a %s', async (_, look) => {
    await scene.runKept(COMMAND);
    forgetProcess();
    scene.open({ session: 's2' });
    await look();
    expect(names()).toEqual(['ordinary']);
    expect(scene.warnings.join('\n')).toMatch(/^set aside, since .*:undo \d+ yes brings it$/);
  });

  it('does not ask again about what was accepted before the kill', async () => {
    const left = await act(COMMAND);
    await left?.settle(true);
    const action = join(root, 'undo', '1');
    writeFileSync(join(action, 'waits.json'), JSON.stringify({ aside: 2, later: [], diff: '', stays: false }));
    expect(await again()).toEqual([]);
    expect(names()).toEqual(['.envrc', '.vscode', 'ordinary']);
  });

  /** Makes the actions of this process look like those of an ended process. */
  function forgetProcess(): void {
    for (const number of readdirSync(join(root, 'undo'))) {
      const path = join(root, 'undo', number, 'action.json');
      if (existsSync(path))
        writeFileSync(path, readFileSync(path, 'utf8').replace(`"pid":${process.pid}`, `"pid":${GONE}`));
    }
  }
});

describe.skipIf(!trialsWork())('a file made by the session', () => {
  const own = (...names: readonly string[]) => names.filter((name) => scene.store.madeHere(join(tree, name)));

  it('stays known through renames and further changes by the session', async () => {
    put('mine', 'mine\n');
    put('edited', 'mine\n');
    await act('mkdir -p out/deep; for i in 1 2 3; do echo $i > out/deep/$i; done; ln -s x out/link; echo x > fresh');
    expect(own('out/deep/1', 'out/deep/3', 'out/link', 'fresh', 'mine')).toEqual([
      'out/deep/1',
      'out/deep/3',
      'out/link',
      'fresh',
    ]);
    await act('mv out moved; echo more >> fresh; sed -i s/1/one/ moved/deep/1');
    expect(own('moved/deep/1', 'moved/deep/2', 'fresh')).toEqual(['moved/deep/1', 'moved/deep/2', 'fresh']);
  });

  it('is known to the next process of this session, and to no other session', async () => {
    await act('mkdir out; echo 1 > out/a; echo 2 > out/b; echo 3 > out/c');
    await act('echo more >> out/b');
    scene.open();
    put('out/c', 'edited by me\n');
    expect(own('out/a', 'out/b', 'out/c')).toEqual(['out/a', 'out/b']);
    await act('mv out moved');
    scene.open();
    expect(own('moved/a', 'moved/b', 'moved/c')).toEqual(['moved/a', 'moved/b']);
    scene.open({ session: 's2' });
    expect(own('moved/a', 'moved/b')).toEqual([]);
  });

  it('is not one that the session only replaced, moved or changed, or that somebody else touched since', async () => {
    for (const name of ['sed', 'moved', 'written', 'linked']) put(name, 'mine\n');
    await act(
      'sed -i s/mine/new/ sed; mkdir d; mv moved d; echo x >> written; ln linked d/link; echo a > d/a; echo b > d/b',
    );
    put('d/a', 'edited by me\n');
    put('d/mine', 'put there by me\n');
    expect(own('sed', 'd/moved', 'written', 'd/link', 'd/a', 'd/mine', 'd/b')).toEqual(['d/b']);
    // A further change by the session does not make the user's file its own.
    await act('echo x >> d/a; echo x >> d/mine');
    expect(own('d/a', 'd/mine')).toEqual([]);
  });
});
