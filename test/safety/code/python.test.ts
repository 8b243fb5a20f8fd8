import { describe, expect, it } from 'vitest';
import { judgePython } from '../../../src/safety/code/python/judge.ts';
import type { Effect } from '../../../src/safety/code/python/scopes.ts';
import { effects, grave } from './effects.ts';

const HARMLESS: readonly string[] = [
  "import json, sys\nprint(json.dumps({'a': 1}, indent=2))",
  "import os\nprint(os.path.exists('x'), os.listdir('.'), os.environ.get('HOME'))",
  "import re\nprint(re.compile('x').sub('a', 'b').replace('a', 'b'))",
  'data = [1]\ndata.remove(1)\nprint({1, 2}.remove(1))',
  "with open('x') as f:\n  for line in f: print(line.strip())",
  'def f(p):\n  p.kill()\n  p.terminate()',
  'from collections import deque\nq = deque()\nq.append(1)\nprint(q.popleft())',
  'class A:\n  def save(self, x): return x\n  def run(self): return self.save(1)\nA().run()',
  'class A:\n  def unlink(self): return 1\na = A()\na.unlink()',
  "import requests\nprint(requests.get('https://example.com/x', timeout=5).text)",
  'import numpy as np\nprint(np.mean(np.array([1, 2])))',
  "import pandas as pd\ndf = pd.read_csv('x.csv')\nprint(df.groupby('a').mean().replace({1: 2}))",
  "import os, tempfile\nwith tempfile.NamedTemporaryFile('w', delete=False) as f:\n  f.write('x')\nos.unlink(f.name)",
  'import threading, time\nthreading.Thread(target=print, args=(1,)).start()\ntime.sleep(1)',
  'print(type(1).__name__, (1).__class__.__name__, len.__name__)',
  "import yaml\nprint(yaml.safe_load('a: 1'))",
  'try:\n  import json\nexcept ImportError as e:\n  print(e)',
  "match 1:\n  case [a, *b]: print(a)\n  case {'x': y, **r}: print(y)\n  case _: pass",
  "x = (y := 3)\nprint(f'{x!r:>{y}} {x:03d}')",
];

describe('code that only computes, reads and prints has no effects', () => {
  it.each(HARMLESS)('%j', (source) => {
    expect(grave(source)).toEqual([]);
  });
});

describe('values in Python code are followed', () => {
  const written = (source: string, argv?: readonly string[]): string[] =>
    effects(source, {}, argv).flatMap((effect) => (effect.kind === 'write' ? [effect.path] : []));

  it.each([
    ["open('a' + '/b.txt', 'w')", ['a/b.txt']],
    ["import os\nd = 'out'\nopen(os.path.join(d, 'x'), 'wb')", ['out/x']],
    ["from pathlib import Path\nbase = Path('out')\n(base / 'x.txt').write_text('')", ['out/x.txt']],
    ["for n in ['a', 'b']: open(f'{n}.txt', 'w')", ['a.txt', 'b.txt']],
    ["def save(name, d='.'): open(d + '/' + name, 'w')\nsave('a')\nsave('b', d='x')", ['./a', 'x/a', './b', 'x/b']],
    ["class A:\n  def __init__(self, p): self.p = p\n  def w(self): open(self.p, 'w')\nA('x').w()", ['x']],
    ["def name(): return 'x.txt'\nopen(name(), 'w')", ['x.txt']],
    ["import json\nP = 'o.json'\njson.dump({}, open(P, mode='w'))", ['o.json']],
    ["m = 'w'\nopen('x', m)", ['x']],
    ["a = 'x' if True else 'y'\nopen(a, 'w')", ['x', 'y']],
    ["open('r+', 'r+')", ['r+']],
  ])('%j writes to %j', (source, paths) => {
    expect(new Set(written(source))).toEqual(new Set(paths));
  });

  it('through sys.argv, whose values come from the command line', () => {
    expect(written("import sys\nopen(sys.argv[1], 'w')", ['out.txt'])).toEqual(['out.txt']);
    expect(written("import sys\nsys.argv[1] = input()\nopen(sys.argv[1], 'w')", ['out.txt'])).toEqual(['\uE000']);
    expect(written("import sys\na = sys.argv\na[1] = input()\nopen(sys.argv[1], 'w')", ['out.txt'])).toEqual([
      '\uE000',
    ]);
  });

  it('and a number in a file name is distinguished from unknown text', () => {
    expect(written("for i in range(9): open(f'out/{i}.txt', 'w')")).toEqual(['out/\uE008.txt']);
    expect(written("open(f'{7 % 4}.txt', 'w')")).toEqual(['\uE008.txt']);
  });

  it('and a recursive function still reports its effects', () => {
    expect(written("def f(p):\n  open(p, 'w')\n  f(p)\nf('x')")).toEqual(['x']);
    expect(written("def f(p):\n  open(p, 'w')\n  f(p + 'y')\nf('x')")).toContain('\uE000');
    expect(written("def f(p):\n  f(p)\n  open(p, 'w')")).toEqual(['\uE000']);
    expect(written("class A:\n  def f(self): self.p = self.p\n  def w(self): open(self.p, 'w')")).toEqual(['\uE000']);
  });

  it('separately for each scope', () => {
    expect(written("p = 'a'\ndef f():\n  p = 'b'\n  return p\nopen(p, 'w')")).toEqual(['a']);
    expect(written("p = 'a'\ndef f():\n  global p\n  p = 'b'\nopen(p, 'w')")).toEqual(['a', 'b']);
    expect(written("p = 'a'\nclass A:\n  p = 'b'\n  def f(self): open(p, 'w')")).toEqual(['a']);
  });
});

describe('programs that Python code starts', () => {
  const commands = (source: string) => effects(source).filter(({ kind }) => kind === 'call' || kind === 'shell');

  it('are reported with their arguments, their input and their directory', () => {
    expect(commands("import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'x'], cwd='d')")).toEqual([
      { kind: 'call', words: ['python3', '-m', 'x'], cwd: 'd' },
    ]);
    expect(commands("import subprocess\nsubprocess.run('sh', input='rm x')")).toEqual([
      { kind: 'call', words: ['sh'], stdin: 'rm x' },
    ]);
    expect(commands("import subprocess\nc = ['ls', '-l']\nsubprocess.check_output(c + ['x'])")).toEqual([
      { kind: 'call', words: ['ls', '-l', 'x'] },
    ]);
    expect(commands("import subprocess\nsubprocess.run('ls -l'.split())")).toEqual([
      { kind: 'call', words: ['ls', '-l'] },
    ]);
    expect(commands("import os\nfor c in ['ls', 'pwd']: os.system(c)")).toEqual([
      { kind: 'shell', text: 'ls' },
      { kind: 'shell', text: 'pwd' },
    ]);
    expect(commands("import os\nos.system(f'ls {input()}')")).toEqual([{ kind: 'shell', text: 'ls \uE000' }]);
  });
});

describe('the project’s own Python modules', () => {
  it('are read, and their effects count as the script’s', () => {
    expect(grave('import helper\nhelper.go()', { helper: 'def go(): print(1)' })).toEqual([]);
    expect(grave('import helper', { helper: "import os\nos.remove('x')" })).toEqual([
      { kind: 'like', words: ['rm', 'x'] },
    ]);
  });

  it('take precedence over standard modules of the same name', () => {
    expect(grave('import json', { json: "import shutil\nshutil.rmtree('x')" })).not.toEqual([]);
  });

  it('do not make the modules they import usable by the script', () => {
    expect(grave("import helper\nhelper.o.remove('x')", { helper: 'import os as o' })).not.toEqual([]);
    expect(grave("from helper import o\no.remove('x')", { helper: 'import os as o' })).not.toEqual([]);
    expect(grave("from helper import clean\nclean('x')", { helper: 'from shutil import rmtree as clean' })).not.toEqual(
      [],
    );
  });

  it('may be called with unknown arguments, and may change attributes of objects passed to them', () => {
    expect(grave("import helper\nhelper.save('x')", { helper: "def save(p): open(p, 'w')\nsave('y')" })).not.toEqual(
      [],
    );
    const source =
      "import helper\nclass A:\n  def __init__(self): self.p = 'a'\n  def w(self): open(self.p, 'w')\na = A()\nhelper.change(a)\na.w()";
    expect(grave(source, { helper: 'def change(a): a.p = input()' })).not.toEqual([]);
  });

  it('are followed three levels deep, and circular imports don’t loop', () => {
    const chain = { a: 'import b', b: 'import c', c: 'import d', d: 'print(1)' };
    expect(grave('import b', chain)).toEqual([]);
    expect(grave('import a', chain)).not.toEqual([]);
    expect(grave('import a', { a: 'import b', b: 'import a' })).toEqual([]);
  });
});

describe('Python code that can’t be parsed has a reason that says why', () => {
  it.each([
    ["print 'x'", 'not valid Python 3'],
    ['x = `ls`', 'not valid Python 3'],
    ['# coding: utf-7\nprint(1)', 'an encoding of its own'],
    ['#!/usr/bin/python\n# -*- coding: rot13 -*-', 'an encoding of its own'],
    ['x = 1\0', 'control characters in the code'],
    ['if 1:\n\f  x', 'control characters in the code'],
    [`${'('.repeat(3000)}1${')'.repeat(3000)}`, 'nested deeper than is looked at'],
    ['x=1\n'.repeat(30_000), 'longer than is looked at'],
  ])('%j', (source, why) => {
    expect(judgePython(source, { module: () => ({ kind: 'absent' }) })).toBe(why);
  });

  it('reads a lone carriage return as the end of a line', () => {
    expect(grave("# note\rimport os\ros.remove('x')")).not.toEqual([]);
  });

  it('treats names in look-alike letters as unknown', () => {
    expect(grave("import os\nos.\uff52emove('x')")).not.toEqual([]);
    expect(grave("import \uff4fs\n\uff4fs.remove('x')")).not.toEqual([]);
    expect(grave("from pathlib import Path\nPath('x').\uff55nlink()")).not.toEqual([]);
    expect(grave("größe = 'ß'\nprint(größe)")).toEqual([]);
  });
});

it('a finding about Python code names the part of the source that has the effect', () => {
  const source = "import os\nx = 'é'; os.remove('y')";
  const [found] = judgePython(source, { module: () => ({ kind: 'absent' }) }) as readonly Effect[];
  expect(source.slice(...(found?.part ?? [0, 0]))).toBe("os.remove('y')");
});

it('the same Python code is judged again when the files beside it or its arguments differ', () => {
  const source = "import helper, sys\nopen(sys.argv[1], 'w')";
  const first = effects(source, { helper: 'import os\nos.remove("x")' }, ['a']);
  const second = effects(source, { helper: 'pass' }, ['b']);
  expect(second).toEqual([{ kind: 'write', path: 'b' }]);
  expect(first).not.toEqual(second);
  expect(effects(source, { helper: 'import os\nos.remove("x")' }, ['a'])).toEqual(first);
});
