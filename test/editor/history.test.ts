import { describe, expect, it } from 'vitest';
import { fuzzySearch } from '../../src/editor/fuzzy.ts';
import { createHistory } from '../../src/editor/history.ts';

function history(...kept: readonly string[]) {
  const appended: string[] = [];
  const made = createHistory({
    load: async () => kept,
    append: (line) => {
      appended.push(line);
    },
  });
  return { history: made, appended };
}

describe('the history', () => {
  it('keeps lines once, at their newest place, and stores what is added', async () => {
    const { history: it, appended } = history('a', 'b', 'a');
    await it.load();
    it.add('c');
    it.add('b');
    expect(it.lines()).toEqual(['a', 'c', 'b']);
    expect(appended).toEqual(['c', 'b']);
  });

  it('does not keep blank lines, nor lines that begin with a space', () => {
    const { history: it, appended } = history();
    for (const line of ['', '  ', ' secret', 'kept', 'kept']) it.add(line);
    expect(it.lines()).toEqual(['kept']);
    expect(appended).toEqual(['kept']);
  });

  it('keeps what was entered before it was loaded newest', async () => {
    const { history: it } = history('old', 'x');
    it.add('new');
    it.add('x');
    await it.load();
    expect(it.lines()).toEqual(['old', 'new', 'x']);
  });

  it('is walked back and forth, and gives the draft back', async () => {
    const { history: it } = history('one', 'two');
    await it.load();
    const two = it.older(undefined, '');
    const one = it.older(two?.walk, 'two');
    expect([two?.text, one?.text]).toEqual(['two', 'one']);
    if (one === undefined) throw new Error('there are two lines');
    expect(it.older(one.walk, 'one')).toBeUndefined();
    const back = it.newer(one.walk);
    expect(back?.text).toBe('two');
    expect(back && it.newer(back.walk)?.text).toBe('');
  });

  it('is walked among the lines that begin like the draft', async () => {
    const { history: it } = history('git add', 'ls', 'git push', 'make');
    await it.load();
    const push = it.older(undefined, 'git');
    const add = it.older(push?.walk, 'git push');
    expect([push?.text, add?.text]).toEqual(['git push', 'git add']);
    expect(it.older(add?.walk, 'git add')).toBeUndefined();
  });
});

describe('fuzzy search', () => {
  const lines = ['git status', 'grep -i taste', 'git stash pop', 'ls -l', 'docker compose up', 'cd ~/src'];

  it.each([
    ['git st', 'git stash pop'],
    ['gst', 'git stash pop'],
    ['status', 'git status'],
    ['dcu', 'docker compose up'],
    ['up docker', 'docker compose up'],
    ['taste', 'grep -i taste'],
    ['', 'cd ~/src'],
  ])('%j finds %j first', (query, first) => {
    expect(fuzzySearch(lines, query)[0]?.text).toBe(first);
  });

  it('says where it matched, minds capitals only when there are some, and finds nothing where nothing is', () => {
    expect(fuzzySearch(['Make All'], 'mall')[0]?.positions).toEqual([0, 5, 6, 7]);
    expect(fuzzySearch(['make', 'Make'], 'M').map((match) => match.text)).toEqual(['Make']);
    expect(fuzzySearch(lines, 'zzz')).toEqual([]);
  });

  it('prefers the newer of two equal matches', () => {
    expect(fuzzySearch(['make a', 'make b'], 'make')[0]?.text).toBe('make b');
  });
});
