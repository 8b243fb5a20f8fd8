import { describe, expect, it } from 'vitest';
import { commandAt } from '../../src/executor/completion/complete.ts';

describe('the command at the cursor', () => {
  it.each<[string, string[], string]>([
    ['', [''], 'command'],
    ['gi', ['gi'], 'command'],
    ['git ', ['git', ''], 'argument'],
    ['git checkout ma', ['git', 'checkout', 'ma'], 'argument'],
    ['a; b | c && de', ['de'], 'command'],
    ['a &', [''], 'command'],
    ['if true; then gi', ['gi'], 'command'],
    ['FOO=1 BAR="x y" cmd a', ['cmd', 'a'], 'argument'],
    ['! time ls -', ['ls', '-'], 'argument'],
    ['echo $(git st', ['git', 'st'], 'argument'],
    ['echo "$(git st', ['git', 'st'], 'argument'],
    ['echo $(date) x', ['echo', '$(date)', 'x'], 'argument'],
    ['echo `ls a', ['ls', 'a'], 'argument'],
    ['echo `date` b', ['echo', '`date`', 'b'], 'argument'],
    ['(cd a', ['cd', 'a'], 'argument'],
    ['cat < fi', ['cat', 'fi'], 'target'],
    ['cat 2>&1 >out x', ['cat', 'x'], 'argument'],
    ['cmd &> lo', ['cmd', 'lo'], 'target'],
    ['one\ntwo th', ['two', 'th'], 'argument'],
    ["echo 'a; b' c", ['echo', "'a; b'", 'c'], 'argument'],
    ['echo a\\ b', ['echo', 'a\\ b'], 'argument'],
  ])('of %j is found with its words and role', (line, words, role) => {
    expect(commandAt(line, line.length)).toMatchObject({ words, role });
  });

  it.each([
    ['cat "My D', '"', 5, 'My D'],
    ["cat 'My D", "'", 5, 'My D'],
    ['cat My\\ D', '', 4, 'My D'],
    ['cat --f="a b', '"', 9, '--f=a b'],
    ['cat "$HO', '"', 5, '$HO'],
    ['cat "a\\"b', '"', 5, 'a"b'],
    ['cat "a\\nb', '"', 5, 'a\\nb'],
    ["cat 'x'y", '', 4, 'xy'],
  ])('in %j has its open quotes recognised', (line, quote, quoteStart, plain) => {
    expect(commandAt(line, line.length)).toMatchObject({ quote, quoteStart, plain });
  });
});
