import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overlapTest, ownPlaces } from '../../src/app/own-places.ts';
import { projectTree } from '../../src/app/project-tree.ts';
import { waysThrough } from '../../src/effects/undo/index.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-tree-')));
  mkdirSync(join(root, 'home', 'code', 'deep'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const home = () => join(root, 'home');
const code = () => join(home(), 'code');

const NONE = () => false;
const whole = (path: string) => overlapTest(() => ({ whole: [path], single: [] }));

describe('the project’s tree', () => {
  it('is the top of the repository, also of a worktree whose .git is a file', () => {
    mkdirSync(join(code(), '.git'));
    expect(projectTree(join(code(), 'deep'), NONE, home())).toBe(code());
    writeFileSync(join(code(), 'deep', '.git'), 'gitdir: elsewhere\n');
    expect(projectTree(join(code(), 'deep'), NONE, home())).toBe(join(code(), 'deep'));
  });

  it('is the directory itself, with links resolved, where there is no repository', () => {
    symlinkSync(join(code(), 'deep'), join(root, 'link'));
    expect(projectTree(join(root, 'link'), NONE, home())).toBe(join(code(), 'deep'));
  });

  it('is never the home directory or a parent of it, not even as a repository', () => {
    mkdirSync(join(home(), '.git'));
    expect(projectTree(home(), NONE, home())).toBeUndefined();
    expect(projectTree(root, NONE, home())).toBeUndefined();
    expect(projectTree('/', NONE, home())).toBeUndefined();
    expect(projectTree(code(), NONE, home())).toBe(code());
  });

  it('is undefined when it contains this program or its settings, or is inside them', () => {
    mkdirSync(join(code(), '.git'));
    mkdirSync(join(root, 'kept', 'session'), { recursive: true });
    const program = join(code(), 'node_modules', 'aish-tui', 'dist');
    mkdirSync(program, { recursive: true });
    expect(projectTree(join(code(), 'deep'), whole(program), home())).toBeUndefined();
    symlinkSync(program, join(root, 'link'));
    expect(projectTree(code(), whole(join(root, 'link')), home())).toBeUndefined();
    expect(projectTree(code(), whole(join(code(), 'not-made-yet')), home())).toBeUndefined();
    expect(projectTree(join(root, 'kept', 'session'), whole(join(root, 'kept')), home())).toBeUndefined();
    expect(projectTree(code(), whole(join(root, 'kept')), home())).toBe(code());
  });

  it('is undefined when the directory is gone', () => {
    expect(projectTree(join(root, 'gone'), NONE, home())).toBeUndefined();
  });
});

describe('a project that the user’s other programs may load files from', () => {
  const launcher = () => join(root, 'program', 'dist', 'aish-sandbox');
  const config = () => join(home(), '.config', 'aish', 'config.jsonc');
  const at = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  const file = (path: string) => {
    writeFileSync(at(path), '');
    return path;
  };
  const treeWith = (env: Readonly<Record<string, string>> = {}, named = config()) =>
    projectTree(
      code(),
      overlapTest(() => ownPlaces(launcher(), named, { HOME: home(), PATH: join(root, 'bin'), ...env })),
      home(),
    );

  it.each<readonly [string, () => Readonly<Record<string, string>> | void]>([
    ['the configuration, by a link', () => symlinkSync(file(join(code(), 'mine.jsonc')), at(config()))],
    [
      'the configuration, by two links',
      () => {
        symlinkSync('/dev/null', join(code(), 'through'));
        symlinkSync(join(code(), 'through'), at(config()));
      },
    ],
    ['a program that aish-tui starts', () => symlinkSync(file(join(code(), 'wrap')), at(join(root, 'bin', 'git')))],
    ['a part of the program', () => symlinkSync(join(code(), 'chunk'), at(join(root, 'program', 'dist', 'chunk.mjs')))],
    ['a filter of the pager', () => ({ LESSOPEN: `|${code()}/lesspipe %s` })],
    ['a file named in the environment', () => ({ BASH_ENV: join(code(), 'env') })],
    ['one of several files named in the environment', () => ({ LD_LIBRARY_PATH: `/usr/lib:${code()}/lib` })],
    ['a loader that searches its own directory', () => ({ LD_LIBRARY_PATH: '/opt/x/lib:' })],
    ['a file in an option of Node', () => ({ NODE_OPTIONS: `--no-warnings --import=${code()}/x.mjs` })],
    [
      'a file that aish-tui is told of by its own variable',
      () => symlinkSync('/elsewhere', at(join(code(), 'node_modules', '.bin', 'aish-tui'))),
    ],
  ])('is not writable as a tree: %s', (_, lead) => {
    expect(treeWith()).toBe(code());
    const env = lead();
    expect(treeWith(env ?? {})).toBeUndefined();
  });

  it.each(['.config/nvim', '.ssh', '.config/systemd/user/x.service.d', '.oh-my-zsh/custom'])(
    'is not writable as a whole: %s of the home directory',
    (name) => {
      const tree = join(home(), name);
      mkdirSync(tree, { recursive: true });
      const taken = overlapTest(() => ownPlaces(launcher(), config(), { HOME: home(), PATH: '/usr/bin' }));
      expect(projectTree(tree, taken, home())).toBeUndefined();
      expect(projectTree(code(), taken, home())).toBe(code());
    },
  );

  it.each(
    '.oh-my-zsh .config/nvim .config/systemd/user .config/autostart .vim .claude .config .local/share .nvm .ssh'.split(
      ' ',
    ),
  )('is not writable as a whole: ~/%s', (name) => {
    const directory = join(home(), name);
    mkdirSync(directory, { recursive: true });
    const env = { HOME: home(), PATH: join(root, 'bin') };
    const taken = overlapTest(() => ownPlaces(launcher(), config(), env));
    expect(projectTree(directory, taken, home())).toBeUndefined();
  });

  it.each(['.dotfiles', 'gradle', 'pip', '.config/mine', 'code/.github', 'x/.vim'])(
    'is writable as a whole: ~/%s',
    (name) => {
      const directory = join(home(), name);
      mkdirSync(directory, { recursive: true });
      // The temporary files of this test are inside that directory.
      const env = { HOME: home(), PATH: join(root, 'bin'), XDG_CONFIG_HOME: join(root, 'settings') };
      const taken = overlapTest(() => ownPlaces(launcher(), undefined, env));
      expect(projectTree(directory, taken, home())).toBe(directory);
    },
  );

  it.each<readonly [string, (tree: string) => string]>([
    ['KUBECONFIG', (tree) => `${tree}/kc`],
    ['DOCKER_CONFIG', (tree) => `${tree}/dc`],
    ['LESSOPEN', (tree) => `|${tree}/lesspipe %s`],
    ['GIT_SEQUENCE_EDITOR', (tree) => `${tree}/e`],
    ['GIT_CONFIG_VALUE_0', (tree) => `${tree}/hooks`],
    ['SUDO_ASKPASS', (tree) => `${tree}/e`],
    ['PERL5LIB', (tree) => `${tree}/l`],
    ['PERL5OPT', (tree) => `-I${tree}/l`],
    ['PYTHONPATH', (tree) => tree],
    ['FPATH', (tree) => `/usr/share/zsh:${tree}/f`],
    ['NODE_OPTIONS', (tree) => `--import "${tree}/x.mjs"`],
    ['EDITOR', (tree) => `sh -c '${tree}/e'`],
    ['VISUAL', () => 'sh -c "$HOME/code/e"'],
    ['PAGER', () => '~/code/p'],
  ])('is not writable as a whole when %s names a file in it', (name, value) => {
    expect(treeWith({ [name]: value(code()) })).toBeUndefined();
  });

  it('is writable as a whole when environment variables point to data files in it', () => {
    const env = { PWD: code(), OLDPWD: code(), GIT_DIR: join(code(), '.git'), VIRTUAL_ENV: join(code(), '.venv') };
    expect(treeWith({ ...env, GIT_PAGER: 'less -R', GIT_BRANCH: 'origin/main', LESS: '-FRX' })).toBe(code());
  });

  it('is not writable as a whole when it contains the configuration file named at the start', () => {
    expect(treeWith({}, join(code(), 'named.jsonc'))).toBeUndefined();
  });

  it('is writable as a whole if one of its protected directories is a file', () => {
    file(join(code(), 'node_modules'));
    expect(treeWith({ PATH: file(join(root, 'no-directory')) })).toBe(code());
  });

  it('is writable as a whole when PATH finds its programs first, unless aish-tui itself starts them', () => {
    file(join(code(), 'bin', 'python'));
    expect(treeWith({ PATH: `${join(code(), 'bin')}:/usr/bin` })).toBe(code());
  });
});

describe('the resolved steps of a path', () => {
  it('follow each link, and end where the system does', () => {
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    symlinkSync('a/b', join(root, 'one'));
    symlinkSync(`${root}/one/../c`, join(root, 'two'));
    mkdirSync(join(root, 'a', 'c'));
    const waysOf = waysThrough();
    expect(waysOf(`${root}/two/./x/..//y`)).toEqual([join(root, 'two'), join(root, 'one'), join(root, 'a', 'c', 'y')]);
    expect(waysOf(join(root, 'two')).at(-1)).toBe(realpathSync.native(join(root, 'two')));
  });

  it('are no more than the system follows, however links are built', () => {
    for (let n = 0; n < 60; n++) {
      const next = `a${n + 1}`;
      symlinkSync(
        Array.from({ length: 300 }, () => `${next}/..`)
          .concat(next)
          .join('/'),
        join(root, `a${n}`),
      );
    }
    mkdirSync(join(root, 'a60'));
    const waysOf = waysThrough();
    expect(waysOf(join(root, 'a0'))).toHaveLength(41);
    expect(() => realpathSync.native(join(root, 'a0'))).toThrow('ELOOP');
  });

  it('end at circular links', () => {
    symlinkSync(join(root, 'y'), join(root, 'x'));
    symlinkSync(join(root, 'x'), join(root, 'y'));
    expect(waysThrough()(join(root, 'x')).length).toBeLessThan(60);
  });
});
