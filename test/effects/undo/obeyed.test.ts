/** What git or others obey by a name of the project's own choosing is set aside like the names that everybody knows. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectArgv } from '../../../src/effects/sandbox/index.ts';
import { ChangeStore } from '../../../src/effects/undo/index.ts';
import { lacks } from '../../support/lacks.ts';
import { run } from '../sandbox/run.ts';
import { builtTools } from './bench.ts';
import { GIT_CASES } from './git-cases.ts';
import { LINKED } from './linked-cases.ts';
import { trialsWork } from './trial-support.ts';

const tools = builtTools();
let root: string;
let tree: string;
let store: ChangeStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-obeyed-'));
  tree = join(root, 'tree');
  mkdirSync(tree);
});
const { PATH } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
  rmSync(root, { recursive: true, force: true });
});

const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: tree, encoding: 'utf8' });

function put(name: string, text: string): void {
  mkdirSync(dirname(join(tree, name)), { recursive: true });
  writeFileSync(join(tree, name), text);
}

const DEEP = Array.from({ length: 4 }, () => 'x'.repeat(200)).join('/');
const LIST = '.git/rebase-merge/git-rebase-todo';

const open = () =>
  new ChangeStore({
    launcher: tools().launcher,
    directory: join(root, 'undo'),
    budgetBytes: 1e9,
    maxFileBytes: 1e8,
    days: 7,
    session: 's1',
    run: () => undefined,
    now: () => 1_000_000,
    hide: (text) => text,
    warn: () => {},
  });

/** Runs it in Project; what it left for the user's word. */
async function act(command: string): Promise<readonly string[]> {
  const keeping = await store.keepCommand(command, tree, tree);
  if (!keeping) throw new Error((await store.unavailable()) ?? 'not kept');
  const argv = ['bash', '-c', `${command}; echo kept > ordinary`];
  const launcher = tools().launcher;
  const ran = await run(projectArgv({ launcher, argv, cwd: tree, project: tree, keep: keeping }));
  expect(ran.err).toBe('');
  keeping.end();
  const left = await keeping.left();
  return left?.items ?? [];
}

/** How the project is set up, what the command does, and what of it waits. */
type Case = readonly [how: string, setUp: () => void, command: string, waits: readonly string[]];
const CASES: readonly Case[] = [
  [
    'core.hooksPath',
    () => git('config', 'core.hooksPath', 'tools/hooks'),
    'echo evil > tools/hooks/pre-commit; echo x > tools/build',
    ['tools/hooks/pre-commit'],
  ],
  [
    'core.hooksPath to what is not there yet',
    () => git('config', 'core.hooksPath', 'later'),
    'mkdir later; echo evil > later/pre-push',
    ['later/pre-push'],
  ],
  [
    'core.hooksPath, by a directory that is moved there',
    () => git('config', 'core.hooksPath', 'later/hooks'),
    'mkdir -p bundle/hooks; echo evil > bundle/hooks/pre-push; mv bundle later',
    ['later/hooks/pre-push'],
  ],
  [
    'core.hooksPath, by a link',
    () => git('config', 'core.hooksPath', 'tools/link/hooks'),
    'mkdir -p other/hooks; echo evil > other/hooks/pre-push; ln -s ../other tools/link',
    ['other/hooks/pre-push', 'tools/link'],
  ],
  [
    'core.hooksPath, the tree itself',
    () => git('config', 'core.hooksPath', '.'),
    'echo evil > pre-commit; echo x > pre-commits',
    ['pre-commit'],
  ],
  [
    'a linked .git/hooks',
    () => {
      rmSync(join(tree, '.git/hooks'), { recursive: true });
      symlinkSync('../tools/hooks', join(tree, '.git/hooks'));
    },
    'echo evil > .git/hooks/post-checkout',
    ['tools/hooks/post-checkout'],
  ],
  [
    'a linked hook',
    () => symlinkSync('../../tools/check', join(tree, '.git/hooks/pre-commit')),
    'echo evil > tools/check',
    ['tools/check'],
  ],
  [
    'include.path, also of what it includes, and what that names',
    () => {
      put('tools/a.inc', '[include]\n\tpath = b.inc\n');
      put('tools/b.inc', '[alias]\n\tgo = !tools/check --fast\n');
      git('config', 'include.path', '../tools/a.inc');
    },
    'echo "[x]" > tools/a.inc; echo "[core]" > tools/b.inc; echo evil > tools/check',
    ['tools/a.inc', 'tools/b.inc', 'tools/check'],
  ],
  [
    'an include under a condition that does not hold',
    () => {
      put('tools/a.inc', '[include]\n\tpath = b.inc\n');
      git('config', 'includeIf.onbranch:nowhere.path', '../tools/a.inc');
    },
    'echo "[core]" > tools/b.inc',
    ['tools/b.inc'],
  ],
  [
    'a filter and a monitor',
    () => {
      git('config', 'filter.own.clean', './tools/check --clean %f');
      git('config', 'core.fsmonitor', 'tools/hooks/watch');
      put('tools/hooks/watch', 'x\n');
    },
    'echo evil > tools/check; echo evil > tools/hooks/watch; echo x > tools/hooks/other',
    ['tools/check', 'tools/hooks/watch'],
  ],
  [
    'a repository below',
    () => {
      execFileSync('git', ['init', '-q', join(tree, 'sub')]);
      execFileSync('git', ['-C', join(tree, 'sub'), 'config', 'core.hooksPath', 'own']);
    },
    'mkdir sub/own; echo evil > sub/own/pre-commit',
    ['sub/own/pre-commit'],
  ],
  [
    'commands of a rebase that goes on later',
    () => mkdirSync(join(tree, '.git/sequencer')),
    'mkdir .git/rebase-merge; printf "pick x\n  exec evil\n" > .git/rebase-merge/git-rebase-todo; printf "x\tevil" > .git/sequencer/todo; echo x > .git/rebase-merge/done',
    [LIST, '.git/sequencer/todo'],
  ],
  [
    'commands of a rebase, by a directory that is moved there',
    () => put('.git/list/git-rebase-todo', 'pick x\nx evil\n'),
    'mv .git/list .git/rebase-merge',
    ['.git/rebase-merge'],
  ],
  [
    'commands of a rebase, by links',
    () => put('.git/list', 'pick x\n'),
    'ln -s ../tools .git/sequencer; mkdir .git/rebase-merge; ln .git/list .git/rebase-merge/git-rebase-todo',
    ['.git/list', LIST, '.git/sequencer'],
  ],
  [
    'a rebase whose commands the user gave: what is left of them is theirs',
    () => put(LIST, 'exec one\npick x\nexec two\n'),
    'sed -i 1d .git/rebase-merge/git-rebase-todo',
    [],
  ],
  [
    'a rebase of the user, with a command that is not theirs',
    () => put(LIST, 'exec one\npick x\nexec two\n'),
    'sed -i "1s/one/evil/" .git/rebase-merge/git-rebase-todo',
    [LIST],
  ],
  ...['\\r', '\\342\\200\\250', '\\342\\200\\251'].map(
    (end): Case => [
      `a rebase of the user, with more behind ${end} on the line of a command of theirs`,
      () => put(LIST, 'exec one\npick x\n'),
      `printf 'exec one${end}; evil\\npick x\\n' > .git/rebase-merge/git-rebase-todo`,
      [LIST],
    ],
  ),
  [
    'a rebase of the user, written with other ends of lines',
    () => put(LIST, 'exec one\npick x\n'),
    `printf '  exec one\\r\\npick x\\r\\n' > .git/rebase-merge/git-rebase-todo`,
    [],
  ],
  ...['.git/x', 'y'].map(
    (name): Case => [
      `a rebase of the user, by ${name}, another name of its list`,
      () => {
        put(LIST, 'pick x\n');
        linkSync(join(tree, LIST), join(tree, name));
      },
      `echo "exec evil" >> ${name}`,
      [name],
    ],
  ),
  [
    'another name for the list of a rebase',
    () => put(LIST, 'pick x\n'),
    'ln .git/rebase-merge/git-rebase-todo .git/x',
    [LIST, '.git/x'],
  ],
  [
    'a rebase of its own, which stops in the middle',
    () => {
      for (const text of ['one', 'two', 'three']) {
        put('file', text);
        git('add', '-A');
        git('-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-qm', text);
      }
    },
    'GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git -c user.name=a -c user.email=b rebase -i HEAD~2 > /dev/null 2>&1; grep pick .git/rebase-merge/git-rebase-todo > /dev/null || echo none >&2',
    [],
  ],
  [
    'what git takes programs from when it goes on, here and in a repository below',
    () => {
      git('init', '-q', 'sub');
      for (const name of ['rebase-merge/strategy', 'sequencer/opts', 'BISECT_NAMES']) put(`.git/${name}`, '');
    },
    `echo y/evil > .git/rebase-merge/strategy; printf '[options]\\nstrategy=y/evil\\n' > .git/sequencer/opts; echo '$(evil)' > .git/BISECT_NAMES; mkdir sub/.git/rebase-merge; echo evil > sub/.git/rebase-merge/strategy`,
    ['.git/BISECT_NAMES', '.git/rebase-merge/strategy', '.git/sequencer/opts', 'sub/.git/rebase-merge/strategy'],
  ],
  [
    'what git itself writes there',
    () => mkdirSync(join(tree, '.git/rebase-merge')),
    `echo ort > .git/rebase-merge/strategy; mkdir .git/sequencer; printf '[options]\\n\\tedit = true\\n\\tstrategy = recursive\\n\\tstrategy-option = ours\\n' > .git/sequencer/opts; echo " 'a b' 'c'" > .git/BISECT_NAMES`,
    [],
  ],
  [
    'a program of the tree that stands before one of the system',
    () => {
      put('.venv/bin/own', 'mine\n');
      process.env.PATH = `${join(tree, '.venv/bin')}:${PATH}`;
    },
    // Whoever asked this git what it obeys would run it.
    `printf '#!/bin/sh\\ntouch ../pwned\\n' > .venv/bin/git; chmod 755 .venv/bin/git; echo changed > .venv/bin/own`,
    ['.venv/bin/git'],
  ],
  ...[`${'x'.repeat(300)}`, 'loop/x', 'tools/check/x', 'a\\0b'].map(
    (word): Case => [
      `an alias of which a word can’t be a file: ${word.slice(0, 20)}`,
      () => {
        symlinkSync('loop', join(tree, 'loop'));
        git('config', 'alias.x', `!${word} tools/check`);
      },
      'echo evil > .envrc; echo evil > tools/check',
      ['.envrc', 'tools/check'],
    ],
  ),
  [
    'a program that aish-tui starts, and that the system does not have',
    () => {
      put('bin/own', 'mine\n');
      process.env.PATH = `${join(tree, 'bin')}:${PATH}`;
    },
    'echo x > bin/wl-copy; echo x > bin/secret-tool; echo x > bin/own',
    ['bin/secret-tool', 'bin/wl-copy'],
  ],
  [
    'what a program in the PATH is a link to',
    () => {
      put('scripts/py', 'mine\n');
      mkdirSync(join(tree, 'bin'));
      symlinkSync('../scripts/py', join(tree, 'bin/cat'));
      process.env.PATH = `${join(tree, 'bin')}:${PATH}`;
    },
    'echo evil > scripts/py; echo x > scripts/other',
    ['scripts/py'],
  ],
  [
    'what programs outside, of whatever name, are links to',
    () => {
      put('tool.sh', 'mine\n');
      symlinkSync('tool.sh', join(tree, 'tool'));
      mkdirSync(join(root, 'bin'));
      symlinkSync('../tree/tool', join(root, 'bin/between'));
      symlinkSync('between', join(root, 'bin/my-tool'));
      symlinkSync('../tree/later', join(root, 'bin/dangles'));
      process.env.PATH = `${join(root, 'bin')}:${PATH}`;
    },
    'echo evil > tool.sh; echo evil > later; echo x > bin; ln -sf other tool',
    ['later', 'tool', 'tool.sh'],
  ],
  [
    'a directory of the PATH that it makes a link to others',
    () => {
      process.env.PATH = `${join(tree, 'bin')}:${PATH}`;
    },
    'ln -s /var/tmp bin',
    ['bin'],
  ],
  [
    'more than goes on a command line',
    () => {},
    `mkdir -p ${DEEP}; cd ${DEEP}; mkdir $(seq 10 59); for i in $(seq 10 59); do echo x > $i/.envrc; done; cd - > /dev/null`,
    Array.from({ length: 50 }, (_, at) => `${DEEP}/${at + 10}/.envrc`),
  ],
  [
    'a linked .envrc',
    () => symlinkSync('tools/check', join(tree, '.envrc')),
    'echo evil > tools/check',
    ['tools/check'],
  ],
  ...[...GIT_CASES, ...LINKED].map(
    ([how, setUp, command, waits]): Case => [
      how,
      () => execFileSync('sh', ['-c', setUp], { cwd: tree }),
      command,
      waits,
    ],
  ),
];

describe.skipIf(!trialsWork() || lacks('git'))('what is obeyed under a name of its own', () => {
  it.each(CASES)('%s', async (_, setUp, command, waits) => {
    git('init', '-q');
    put('tools/check', 'mine\n');
    put('tools/hooks/x', 'mine\n');
    chmodSync(join(tree, 'tools/check'), 0o755);
    setUp();
    store = open();
    const before = waits.map((path) => textOf(path));
    const list = textOf(LIST);
    const items = await act(command);
    expect(items.map((item) => item.split(' ')[0])).toEqual(waits);
    expect(waits.map((path) => textOf(path))).toEqual(before);
    if (waits.length > 0) expect(textOf(LIST)).toBe(list);
    expect(textOf('ordinary')).toBe('kept\n');
    expect(existsSync(join(root, 'pwned'))).toBe(false);
    // What it names no more is an ordinary file.
    expect(await act('echo again > tools/ordinary')).toEqual([]);
  });

  it('is asked about as a whole where it can’t be looked through', async () => {
    store = open();
    const keeping = await store.keepCommand('echo x > .envrc', tree, tree);
    if (!keeping) throw new Error('not kept');
    const argv = ['bash', '-c', 'echo x > .envrc'];
    await run(projectArgv({ launcher: tools().launcher, argv, cwd: tree, project: tree, keep: keeping }));
    keeping.end();
    rmSync(join(keeping.directory, 'journal'));
    const left = await keeping.left();
    expect(left?.items).toEqual([
      expect.stringMatching(/^the project could not be looked through for what others run later \(.*in place\)$/),
    ]);
    expect(await left?.settle(false)).toContain('still in the project: ');
  });
});

function textOf(path: string): string | undefined {
  return existsSync(join(tree, path)) ? readFileSync(join(tree, path), 'utf8') : undefined;
}
