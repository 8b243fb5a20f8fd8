import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUnchanged, readContent, realFiles } from '../../src/safety/files.ts';
import { judgeWithFiles } from '../../src/safety/judge.ts';

let cwd: string;

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'aish-reading-')));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const file = (name: string, text: string, mode = 0o644): string => {
  const path = join(cwd, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

const judge = (command: string, own: readonly string[] = [], busy = false) =>
  judgeWithFiles(
    command,
    { cwd, files: realFiles(), own: new Set(own.map((name) => join(cwd, name))) },
    { busy, readingMs: 5000 },
  );

const verdict = async (command: string, own: readonly string[] = []) => (await judge(command, own)).verdict;

describe('a script in a command is read and judged', () => {
  it('whatever its file name is', async () => {
    const gradle = '#!/bin/sh\nexec java org.gradle.wrapper.GradleWrapperMain "$@"\n';
    file('gradlew', gradle, 0o755);
    expect(await judge('./gradlew test')).toMatchObject({ reason: 'runs a program that was not read' });
    file('gradlew', 'rm -rf src\n', 0o755);
    file('mvnw', 'echo hello\n', 0o755);
    expect([await verdict('./gradlew test'), await verdict('./mvnw clean')]).toEqual(['destructive', 'safe']);
  });

  it('as Python, as sh, or in the language that its first line names', async () => {
    file('quiet.py', 'print(1)');
    file('loss.py', "import os\nos.remove('keep')");
    file('loss.sh', 'rm -rf build');
    file('run', '#!/usr/bin/env python3\nprint(1)', 0o755);
    file('gone', '#!/bin/bash\nset -e\nrm -rf build', 0o755);
    file('plain', 'echo hello', 0o755);
    file('ruby', '#!/usr/bin/ruby\nputs 1', 0o755);
    expect(await verdict('python3 quiet.py')).toBe('safe');
    expect(await verdict('cd . && timeout 9 python3 -u -W ignore quiet.py a b')).toBe('safe');
    expect(await verdict('python3 loss.py')).toBe('destructive');
    expect(await verdict('bash loss.sh')).toBe('destructive');
    expect(await verdict('. ./loss.sh')).toBe('destructive');
    expect(await verdict('./run')).toBe('safe');
    expect(await verdict('./gone')).toBe('destructive');
    expect(await verdict('./plain x')).toBe('safe');
    expect(await verdict('./ruby')).toBe('unknown');
  });

  it('with the arguments of the command line as its values', async () => {
    file('out.py', "import sys\nopen(sys.argv[1], 'w')");
    file('keep', 'x');
    expect(await verdict('python3 out.py new')).toBe('safe');
    expect(await verdict('python3 out.py keep')).toBe('destructive');
    file('out.sh', 'echo x > "$1"');
    expect(await verdict('bash out.sh new2')).toBe('safe');
    expect(await verdict('bash out.sh keep')).toBe('destructive');
  });

  it('together with the modules that it imports, three levels deep', async () => {
    file('a.py', 'import b');
    file('b.py', 'import c');
    file('c.py', "import os\nos.remove('keep')");
    expect(await verdict('python3 a.py')).toBe('destructive');
    file('c.py', 'print(1)');
    expect(await verdict('python3 a.py')).toBe('safe');
    expect(await verdict('python3 -c "import c"')).toBe('safe');
    mkdirSync(join(cwd, 'pack'));
    file('pack/__init__.py', '');
    expect(await verdict('python3 -c "import pack"')).toBe('unknown');
  });

  it('together with a local file that replaces a standard Python module', async () => {
    expect(await verdict('python3 -c "import json"')).toBe('safe');
    file('json.py', "import shutil\nshutil.rmtree('x')");
    expect(await verdict('python3 -c "import json"')).toBe('destructive');
    expect(await verdict('python3 -m json.tool a.json')).not.toBe('safe');
    rmSync(join(cwd, 'json.py'));
    // The module `tempfile` imports `random` itself.
    file('random.py', 'print(1)');
    expect(await verdict('python3 -c "import tempfile"')).toBe('unknown');
    expect(await verdict('echo "x=1" > json.py; python3 -c "import json; json.loads(1)"')).not.toBe('destructive');
    expect(await verdict('echo "import os; os.remove(1)" > shutil.py; python3 -c "import shutil"')).not.toBe('safe');
  });

  it('but is unknown if it runs itself, is too large, or is not text', async () => {
    file('loop.sh', 'bash loop.sh');
    file('large.sh', '# '.padEnd(300 * 1024, 'x'));
    file('binary', 'a\0b', 0o755);
    expect(await verdict('bash loop.sh')).toBe('unknown');
    expect(await verdict('bash large.sh')).toBe('unknown');
    expect(await verdict('./binary')).toBe('unknown');
    expect(await verdict('bash .')).toBe('unknown');
  });

  it('but is unknown if an option of its interpreter is unknown', async () => {
    file('ignore', 'print(1)');
    for (const option of ['-i', '-x', '-Z', '--what', '"$o"']) {
      expect(await verdict(`python3 ${option} ignore`), option).not.toBe('safe');
    }
  });
});

describe('the time limit for reading scripts', () => {
  const slowly = (milliseconds: number) => async (path: string) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return readContent(path);
  };
  const judgeIn = (command: string, milliseconds: number, readingMs: number) =>
    judgeWithFiles(command, { cwd, files: realFiles() }, { readingMs, read: slowly(milliseconds) });

  it('makes a script count as destructive if it or a module is not read in time', async () => {
    file('a.py', 'import b');
    file('b.py', 'print(1)');
    expect(await judgeIn('python3 a.py', 1, 5000)).toMatchObject({ verdict: 'safe' });
    const unseen = { verdict: 'destructive', rule: 'unresolved code', findings: [{ part: [0, 12] }] };
    expect(await judgeIn('python3 a.py', 3000, 20)).toMatchObject(unseen);
    const stuck = (path: string) => (path.endsWith('b.py') ? new Promise<never>(() => {}) : readContent(path));
    expect(
      await judgeWithFiles('python3 a.py', { cwd, files: realFiles() }, { readingMs: 200, read: stuck }),
    ).toMatchObject(unseen);
  });

  it('does not count time in which the program does other work', async () => {
    file('a.py', 'print(1)');
    const busy = async (path: string) => {
      const until = performance.now() + 300;
      while (performance.now() < until);
      return readContent(path);
    };
    const judged = await judgeWithFiles('python3 a.py', { cwd, files: realFiles() }, { readingMs: 200, read: busy });
    expect(judged.verdict).toBe('safe');
  });
});

describe('recipes of the project', () => {
  const scripts = (all: Readonly<Record<string, string>>) => file('package.json', JSON.stringify({ scripts: all }));

  it('in package.json are read, with their pre and post scripts', async () => {
    scripts({
      test: 'echo ok',
      clean: 'rm -rf dist',
      safe: 'cat package.json',
      postsafe: 'rm -rf x',
      lint: 'tsc --noEmit',
    });
    expect(await verdict('npm test')).toBe('safe');
    expect(await verdict('npm run lint -- --pretty')).toBe('safe');
    expect(await verdict('npm run clean')).toBe('destructive');
    expect(await verdict('npm run safe')).toBe('destructive');
    expect(await verdict("npm test -- '; rm -rf x'")).toBe('safe');
    expect(await verdict('npm run missing')).not.toBe('safe');
    expect(await verdict('npm --script-shell=./x test')).not.toBe('safe');
    file('.npmrc', 'script-shell=./evil');
    expect(await verdict('npm test')).toBe('unknown');
  });

  it('are unknown if a dependency replaces a program, or the command itself changes them', async () => {
    scripts({ test: 'echo ok' });
    expect(await verdict('cp other.json package.json; npm test')).not.toBe('safe');
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
    file('node_modules/.bin/tsc', '');
    expect(await verdict('npm test')).toBe('safe');
    file('node_modules/.bin/echo', '');
    expect(await verdict('npm test')).toBe('unknown');
  });

  it('in a makefile are read for the requested targets and their prerequisites', async () => {
    file(
      'Makefile',
      'OUT = dist\n.PHONY: all clean test\nall: test\n\t@echo done\ntest: a.py\n\techo $(OUT) $@ $$HOME\nclean:\n\t-rm -rf $(OUT)\n',
    );
    expect(await verdict('make')).toBe('safe');
    expect(await verdict('make -s test')).toBe('safe');
    expect(await verdict('make clean')).toBe('destructive');
    expect(await verdict('make -n clean')).toBe('safe');
    expect(await verdict('make -n missing')).not.toBe('safe');
    expect(await verdict('make all clean')).toBe('destructive');
    expect(await verdict('make missing')).not.toBe('safe');
    expect(await verdict("make --eval='x:;rm y' test")).not.toBe('safe');
    expect(await verdict('make OUT=/ test')).not.toBe('safe');
  });

  it.each([
    'all:\n\techo $(shell rm -rf x)\n',
    'include other.mk\nall:\n\techo a\n',
    'SHELL = ./evil\nall:\n\techo a\n',
    'X != rm -rf x\nall:\n\techo a\n',
    'all: prog\n\techo a\n',
    'all: x.o\n\techo a\n',
    'all: ; rm -rf x\n',
    'all:\n\techo a\nMakefile: a.py\n\trm -rf x\n',
    './Makefile: a.py\n\trm -rf x\nall:\n\techo a\n',
    'define go\nrm -rf x\nendef\nall:\n\t$(go)\n',
    'ifdef X\nY=a\nendif\nall:\n\techo $(Y)\n',
    '%: %.c\n\trm -rf x\nall:\n\techo a\n',
    '.ONESHELL:\nall:\n\techo a\n',
    'X = echo\nX = rm -rf\nall:\n\t$(X) a\n',
    'all:\n\t$(UNSET) a\n',
    'export PATH=/evil\nall:\n\techo a\n',
    'all:\n\techo a \\\n\t; rm -rf x\n',
  ])('are not safe in this makefile: %j', async (text) => {
    file('Makefile', text);
    expect(await verdict('make')).not.toBe('safe');
  });

  it.each([
    'clean:\n\t$(RM) -r src\n',
    'OBJ := $(wildcard *.o)\nall: $(OBJ)\n\tcc $(CFLAGS) -o a $^\nclean:\n\trm -rf src\n',
    'ifeq ($(OS),Windows)\nX = del\nelse\nX = rm -rf\nendif\nclean::\n\trm -rf src\n',
    'include other.mk\n%.o: %.c\n\t$(CC) -c $<\nclean: ; rm -rf src\n',
  ])('that delete files are found in a makefile that is only partly understood: %j', async (text) => {
    file('Makefile', text);
    expect(await verdict('make clean')).toBe('destructive');
    expect(await verdict('make')).not.toBe('safe');
  });
});

it('chmod with a glob is unknown when a matching file name begins with a dash', async () => {
  file('a.sh', 'echo\n');
  expect(await verdict('chmod u+x *')).toBe('safe');
  file('-o', '');
  expect(await verdict('chmod u+x *')).toBe('unknown');
  expect(await verdict('chmod u+x ./*')).toBe('safe');
});

describe('a command whose script is missing or may change', () => {
  it('is safe unless the command may create the missing script first', async () => {
    expect(await verdict('./nothing')).toBe('safe');
    expect(await verdict('echo 1 | ./nothing | cat')).toBe('safe');
    expect(await verdict('tar xf a.tar && ./nothing')).toBe('unknown');
    expect(await verdict('curl -o nothing https://x.example && ./nothing')).not.toBe('safe');
    expect(await verdict('./nothing; cp a nothing')).not.toBe('safe');
    expect(await verdict('x=$(date); echo rm > $x; ./nothing')).not.toBe('safe');
    expect(await verdict('echo "rm -rf x" >> nothing; ./nothing')).toBe('destructive');
    expect(await verdict('echo hello >> other.sh; ./nothing')).toBe('safe');
    expect(await verdict(`python3 -c "open('nothing.sh','a').write('rm x')"; bash nothing.sh`)).toBe('unknown');
    expect(await verdict('ln -s other nothing.sh; bash nothing.sh')).toBe('unknown');
    expect((await judge('./nothing', [], true)).verdict).toBe('unknown');
  });

  it('is not safe when the command changes the script before it runs', async () => {
    file('run.sh', 'echo hello', 0o755);
    file('x.py', 'print(1)');
    file('w.py', "import subprocess\nopen('run.sh', 'w').write(input())\nsubprocess.run(['./run.sh'])");
    expect(await verdict('./run.sh && python3 x.py')).toBe('safe');
    expect(await verdict('python3 w.py', ['run.sh'])).toBe('unknown');
    expect(await verdict('cp other run.sh && ./run.sh', ['run.sh'])).not.toBe('safe');
    expect(await verdict("sed -i 's/hello/$(rm x)/' run.sh && ./run.sh", ['run.sh'])).toBe('unknown');
    expect(await verdict('echo $(rm -rf x) >> run.sh; ./run.sh')).toBe('destructive');
    expect(await verdict('cat other >> run.sh; ./run.sh')).not.toBe('safe');
    expect(await verdict('tar xf a.tar && ./run.sh')).not.toBe('safe');
    expect(await verdict('tar xf a.tar && python3 x.py')).not.toBe('safe');
    expect(await verdict('cp a x.py && python3 -c "import x"', ['x.py'])).not.toBe('safe');
  });

  it('is not safe when a script writes another script and runs it', async () => {
    file('w.py', "import subprocess\nopen('batch.sh', 'w').write(input())\nsubprocess.run(['./batch.sh'])");
    expect(await verdict('python3 w.py')).toBe('unknown');
    file('n.py', "import subprocess\nfor i in range(3): open(f'b{i}.sh', 'w')\nsubprocess.run(['./b1.sh'])");
    expect(await verdict('python3 n.py')).toBe('unknown');
    file('o.py', "import subprocess\nfor i in range(3): open(f'{i}.txt', 'w')\nsubprocess.run(['./b1.sh'])");
    expect(await verdict('python3 o.py')).toBe('safe');
    file('2.txt', 'x');
    expect(await verdict('python3 o.py')).toBe('destructive');
    expect(await verdict('python3 o.py', ['2.txt'])).toBe('safe');
  });

  it.each([
    ['bash nothing.sh', 'the script to run is not there'],
    ['python3 nothing.py && cat out.txt', 'the script to run is not there'],
    ['bash ls', 'the script to run is not there'],
    ['cd nope; bash nothing.sh', 'the script to run is not there'],
    ['cd nope && ./evil.sh', 'the script to run is not there'],
    ['bash ev*l.sh', 'a pattern names the script to run'],
    ['source ev?l.sh', 'a pattern names the script to run'],
    ['python3 ev[ia]l.py', 'a pattern names the script to run'],
    ['./ev*l.sh', 'the command itself is not known'],
  ])('is unknown: %s', async (command, reason) => {
    file('evil.sh', 'rm -rf x', 0o755);
    file('evil.py', 'print(1)');
    expect(await judge(command)).toMatchObject({ verdict: 'unknown', reason });
  });
});

describe('the basis of a judgement', () => {
  it('lists the files that were read and those that were missing', async () => {
    file('a.py', 'import helper\nprint(1)');
    file('helper.py', 'x = 1');
    const { basis } = await judge('python3 a.py; ./nothing');
    expect(basis?.reads).toEqual(
      expect.arrayContaining([
        { path: join(cwd, 'a.py'), hash: expect.any(String) as string },
        { path: join(cwd, 'helper.py'), hash: expect.any(String) as string },
        { path: join(cwd, 'nothing'), absent: true },
      ]),
    );
    const reads = basis?.reads ?? [];
    expect(await isUnchanged(reads)).toBe(true);
    const changes: readonly (readonly [string, () => void])[] = [
      ['the script', () => file('a.py', "import os\nos.remove('x')")],
      ['its module', () => file('helper.py', 'x = 2')],
      ['a file that was not there', () => file('nothing', '')],
      ['a module that would go first', () => file('json.py', '')],
    ];
    for (const [what, change] of changes) {
      const before = await judge('python3 a.py; ./nothing');
      expect(await isUnchanged(before.basis?.reads ?? []), what).toBe(true);
      change();
      expect(await isUnchanged(before.basis?.reads ?? []), what).toBe(false);
      file('a.py', 'import helper\nprint(1)');
      rmSync(join(cwd, 'nothing'), { force: true });
    }
  });

  it('is outdated once an unreadable file has changed', async () => {
    file('binary', 'a\0b', 0o755);
    const { verdict: found, basis } = await judge('./binary');
    expect(found).toBe('unknown');
    expect(await isUnchanged(basis?.reads ?? [])).toBe(true);
    file('binary', 'c\0d', 0o755);
    expect(await isUnchanged(basis?.reads ?? [])).toBe(false);
  });

  it('lists the files that the command writes', async () => {
    const { basis } = await judge("echo x > a; echo y >> b; cp a c; python3 -c \"open('d', 'w')\"");
    expect([...(basis?.writes ?? [])].sort()).toEqual(['a', 'b', 'c', 'd'].map((name) => join(cwd, name)));
  });
});

describe('files that the session made', () => {
  it('may be overwritten, edited and deleted, and the reason says so', async () => {
    file('mine', 'x');
    file('other', 'x');
    for (const command of [
      'echo x > mine',
      "sed -i 's/a/b/' mine",
      'rm mine',
      'rm -f ./mine',
      'cp other mine',
      "python3 -c \"open('mine','w')\"",
      'python3 -c "import os; os.remove(\'mine\')"',
    ]) {
      const own = await judge(command, ['mine']);
      expect([command, own.verdict, own.basis?.own]).toEqual([command, 'safe', [join(cwd, 'mine')]]);
      expect(own.reason).toBe('changes only what this session made');
      expect(await verdict(command)).toBe('destructive');
    }
  });

  it('make no other file safe to delete, nor one named by a variable', async () => {
    file('mine', 'x');
    file('other', 'x');
    for (const command of ['rm mine other', 'rm *', 'rm "$x"', 'rm -r .', 'mv mine other', 'cat mine > other']) {
      expect(await verdict(command, ['mine']), command).not.toBe('safe');
    }
    symlinkSync(join(cwd, 'other'), join(cwd, 'link'));
    expect(await verdict('echo x > link', ['mine'])).toBe('destructive');
  });
});

it('killing a process that the command itself started is safe', async () => {
  expect(await verdict('sleep 9 & p=$!; kill $p')).toBe('safe');
  expect(await verdict('sleep 9 & kill $! 1')).toBe('destructive');
  expect(await verdict('kill $p')).toBe('destructive');
});
