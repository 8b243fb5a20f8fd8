import { describe, expect, it } from 'vitest';
import { worksOverPipes } from '../../src/safety/only-reads.ts';

const same = (command: string) => worksOverPipes(command, { cwd: '/nowhere' });

describe('a command behaves the same over pipes', () => {
  it.each([
    'echo this is step 1',
    'cat a b | head -n 5 | wc -l',
    'grep -rn "a b" src | sort -u',
    'cd sub && pwd',
    'mkdir -p d/e && touch d/e/f && cp a d/e',
    'find . -name "*.py" -mtime -7 | sort',
    'for f in *.py; do wc -l "$f"; done',
    'while read -r line; do echo "$line"; done < list',
    'echo a | tr a b',
    'cat missing 2>/dev/null || echo none',
    'diff <(cat a) <(cat b)',
    'timeout 5 cat a',
    'f() { echo "$1"; }; f x',
  ])('%s', (command) => {
    expect(same(command)).toBe(true);
  });
});

describe('a command needs a terminal, or may need one', () => {
  it.each([
    ['it asks there before it takes what is write-protected', 'rm a'],
    ['it asks there before it takes what is write-protected', 'mv a b'],
    ['it asks', 'cp -i a b'],
    ['it asks', 'sudo cat a'],
    ['it asks', 'ssh host cat a'],
    ['it waits for what is typed', 'cat'],
    ['it waits for what is typed', 'cat - a'],
    ['it waits for what is typed', 'grep a'],
    ['it waits for what is typed', 'head -n 5'],
    ['it waits for what is typed', 'read -r name; echo "$name"'],
    ['it prints columns and quotes', 'ls'],
    ['it pages and colours', 'git log'],
    ['it colours', 'grep --color=auto a b'],
    ['it runs what is not looked at', 'find . -exec vim {} +'],
    ['it runs what is not looked at', `awk 'BEGIN { system("vim") }' a`],
    ['it opens its own streams', 'echo a > /dev/stdout'],
    ['it opens its own streams', 'echo a | tee /dev/stderr'],
    ['it opens the terminal', 'cat /dev/tty'],
    ['it looks at its own streams', 'cat a /proc/self/fd/0'],
    ['job control is switched on', 'set -m; sleep 5 &'],
    ['it is another program then', 'exec cat a'],
    ['it runs code', 'python3 x.py'],
    ['it runs the project', 'make test'],
    ['a part of it needs one', 'echo a && vim b'],
    ['a part of it needs one', 'echo "$(stty size)"'],
    ['a part of it needs one', 'timeout 5 vim b'],
    ['nobody knows what it is', '$CMD file'],
    ['nobody knows what it is', 'cat a | "$FILTER"'],
    ['it does not parse', 'echo "a'],
    ['it is no command', ''],
  ])('%s: %s', (_, command) => {
    expect(same(command)).toBe(false);
  });
});
