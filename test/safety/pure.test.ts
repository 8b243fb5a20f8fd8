import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';

describe('code that only computes, reads and prints', () => {
  test.each([
    'python3 -c "import json,sys; print(json.load(sys.stdin))"',
    'python3 -c "print(open(\'f\').read())"',
    'python3 -c "import numpy; print(numpy.__version__)"',
    'node -p "require(\'./package.json\').version"',
    'node -e "console.log([1,2].map(x => x * 2).join())"',
    "perl -ne 'print if /x/' f",
    "ruby -e 'puts RUBY_VERSION'",
  ])('is harmless: %s', (line) => expect(judgeCommand(line).verdict).toBe('safe'));

  test.each([
    'python3 -c "import mypkg"',
    'python3 -c "import os; print = os.posix_spawn; print(1)"',
    "python3 -c \"from pathlib import Path; Path('a').replace('b')\"",
    "python3 -c \"open(mode='w', file='x')\"",
    'python3 -c "print(f\'{os.unlink(chr(97))}\')"',
    'python3 -c "import yaml; yaml.load(open(\'x\'))"',
    'node -p "require(\'./evil\')"',
    "NODE_OPTIONS='--require ./x.js' node -p 1",
    "ruby -r./evil -e 'puts 1'",
    "perl -ne 's/x/system(1)/e'",
    "perl -Mevil -e 'print 1'",
  ])('is not confused with code that does more: %s', (line) => expect(judgeCommand(line).verdict).not.toBe('safe'));
});
