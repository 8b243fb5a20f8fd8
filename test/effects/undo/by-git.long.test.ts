/** How git is asked what it obeys: never by a program of the project's, and what it does not say is not taken for nothing. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obeyedIn } from '../../../src/effects/undo/obeyed.ts';
import { lacks } from '../../support/lacks.ts';

const { PATH } = process.env;
let root: string;
let tree: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-git-'));
  tree = join(root, 'tree');
  mkdirSync(tree);
});
afterEach(() => {
  process.env.PATH = PATH;
  rmSync(root, { recursive: true, force: true });
});

const paths = async () => (await obeyedIn(tree, [])).places.map(({ path }) => path.slice(tree.length + 1));

describe.skipIf(lacks('git'))('what git obeys', () => {
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: tree });
  const include = (file: string, condition = '') => git('config', '--add', `include${condition}.path`, `../${file}`);
  const where = () => execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  beforeEach(() => void git('init', '-q'));

  it.each([
    ['', ''],
    [':', ':'],
    ['of the tree alone', '.'],
  ])('is not asked of a git in the tree, with a PATH %s', async (_, value) => {
    writeFileSync(join(tree, 'git'), `#!/bin/sh\necho ran >${root}/ran\n`, { mode: 0o755 });
    process.env.PATH = value === '.' ? tree : value;
    await expect(obeyedIn(tree, [])).rejects.toThrow('all programs are found through the project');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('is asked without what lets a loader find something in the tree', async () => {
    include('rel.inc');
    const own = where();
    mkdirSync(join(root, 'bin'));
    const told = `#!/bin/sh\nenv >>${root}/env\nexec ${own} "$@"\n`;
    writeFileSync(join(root, 'bin/git'), told, { mode: 0o755 });
    process.env.PATH = `${root}/bin:${PATH}`;
    process.env.LD_LIBRARY_PATH = '/opt/x/lib:';
    try {
      expect(await paths()).toContain('rel.inc');
    } finally {
      delete process.env.LD_LIBRARY_PATH;
    }
    expect(readFileSync(join(root, 'env'), 'utf8')).toMatch(/^HOME=/m);
    expect(readFileSync(join(root, 'env'), 'utf8')).not.toMatch(/^LD_/m);
  });

  it('without a PATH is found where the system has its programs', async () => {
    writeFileSync(join(tree, 'git'), `#!/bin/sh\necho ran >${root}/ran\n`, { mode: 0o755 });
    include('rel.inc');
    const own = where();
    delete process.env.PATH;
    if (/^\/(usr\/)?bin\//.test(own)) expect(await paths()).toContain('rel.inc');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it.each([
    ['more than is read', `[alias]\n\tx = ${'y'.repeat(4_100_000)}\n`],
    ['what it can’t read', '[alias\n'],
    [
      'what it can’t read, by a name like its own words',
      '[alias\n',
      'not a git repository\nfatal: not a git repository',
    ],
  ])('is not known where it says %s', async (_, text, name = 'rel.inc') => {
    writeFileSync(join(tree, name), text);
    include(name);
    await expect(obeyedIn(tree, [])).rejects.toThrow('git could not be asked');
  });

  it('is known where an included file is not there, and in a directory that is no repository', async () => {
    include('none.inc', 'If.onbranch:other');
    expect(await paths()).toContain('none.inc');
    rmSync(join(tree, '.git'), { recursive: true });
    mkdirSync(join(tree, '.git'));
    expect(await paths()).toEqual([]);
  });

  it('is what many included files say, but not any number of them', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `${at}.inc`);
    for (const name of names) include(name, `If.onbranch:${name}`);
    expect(await paths()).toEqual(expect.arrayContaining(names));
    const many = Array.from({ length: 101 }, (_, at) => `[includeIf "onbranch:${at}"]\n\tpath = ../more/${at}.inc\n`);
    writeFileSync(join(tree, '0.inc'), many.join(''));
    await expect(obeyedIn(tree, [])).rejects.toThrow('includes too much');
  });

  describe('where the tree is no repository', () => {
    const { HOME, XDG_CONFIG_HOME } = process.env;
    const home = () => join(root, 'home');
    beforeEach(() => {
      rmSync(join(tree, '.git'), { recursive: true });
      mkdirSync(join(home(), '.config/git'), { recursive: true });
      process.env.HOME = home();
      delete process.env.XDG_CONFIG_HOME;
    });
    afterEach(() => {
      if (HOME !== undefined) process.env.HOME = HOME;
      if (XDG_CONFIG_HOME !== undefined) process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
    });

    it.each(['.gitconfig', '.config/git/config'])('is what the user’s own %s says', async (name) => {
      mkdirSync(join(tree, 'hooks'));
      for (const file of ['hooks/pre-commit', 'run']) writeFileSync(join(tree, file), '');
      const says = [
        `[core]\n\thooksPath = ${tree}/hooks\n\tattributesFile = ${tree}/attributes\n`,
        `[init]\n\ttemplateDir = ${tree}/template\n[alias]\n\tgo = !sh ${tree}/run\n`,
        `[include]\n\tpath = ${tree}/more\n[includeIf "gitdir:/nowhere/"]\n\tpath = ${tree}/less\n`,
      ];
      writeFileSync(join(home(), name), says.join(''));
      writeFileSync(join(tree, 'less'), `[core]\n\teditor = ${tree}/run2\n`);
      writeFileSync(join(tree, 'run2'), '');
      const all = ['hooks', 'attributes', 'template', 'run', 'more', 'less', 'run2'];
      expect(await paths()).toEqual(expect.arrayContaining(all));
    });
  });

  it.each(['LIB=a:./tools/x.sh run', 'tool --load=a,./tools/x.sh'])('is what %s names', async (command) => {
    mkdirSync(join(tree, 'tools'));
    writeFileSync(join(tree, 'tools/x.sh'), '');
    git('config', 'filter.own.clean', command);
    expect(await paths()).toContain('tools/x.sh');
  });

  it('is a directory of hooks that it has on another branch', async () => {
    mkdirSync(join(tree, 'ci/hooks'), { recursive: true });
    writeFileSync(join(tree, 'ci/hooks/pre-commit'), '');
    writeFileSync(join(tree, 'rel.inc'), '[core]\n\thooksPath = ci/hooks\n');
    include('rel.inc', 'If.onbranch:other');
    expect(await paths()).toEqual(expect.arrayContaining(['ci/hooks', 'ci/hooks/pre-commit']));
  });
});
