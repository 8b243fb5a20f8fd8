import { describe, expect, it } from 'vitest';
import { fuzzySearch } from '../../../src/ui/editor/fuzzy.ts';
import { History } from '../../../src/ui/editor/history.ts';
import { searchTimes } from '../../bench/history.ts';
import { cpuMilliseconds } from '../../support/cpu-time.ts';

describe('the history', () => {
  it('has each line once, at its newest place, including lines saved later', () => {
    const kept = ['a', 'b', 'a'];
    const it = new History(() => kept);
    expect(it.lines()).toEqual(['b', 'a']);
    kept.push('c', 'b');
    expect(it.lines()).toEqual(['a', 'c', 'b']);
    kept.push('b', 'a');
    expect(it.lines()).toEqual(['c', 'b', 'a']);
  });

  it('is stepped through back and forth, and returns the draft at the end', () => {
    const it = new History(() => ['one', 'two']);
    const two = it.older(undefined, '');
    const one = it.older(two?.walk, 'two');
    expect([two?.text, one?.text]).toEqual(['two', 'one']);
    if (one === undefined) throw new Error('there are two lines');
    expect(it.older(one.walk, 'one')).toBeUndefined();
    const back = it.newer(one.walk);
    expect(back?.text).toBe('two');
    expect(back && it.newer(back.walk)?.text).toBe('');
  });

  it('is stepped through by lines that start like the draft', () => {
    const it = new History(() => ['git add', 'ls', 'git push', 'make']);
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
  ])('for %j finds %j first', (query, first) => {
    expect(fuzzySearch(lines, query)[0]?.text).toBe(first);
  });

  it('reports where it matched, is case-sensitive only for capitals, and returns nothing if no line matches', () => {
    expect(fuzzySearch(['Make All'], 'mall')[0]?.positions).toEqual([0, 5, 6, 7]);
    expect(fuzzySearch(['make', 'Make'], 'M').map((match) => match.text)).toEqual(['Make']);
    expect(fuzzySearch(lines, 'zzz')).toEqual([]);
  });

  it('prefers the newer of two equal matches', () => {
    expect(fuzzySearch(['make a', 'make b'], 'make')[0]?.text).toBe('make b');
  });
});

it('history search takes linear time in the number of lines', () => {
  searchTimes(10_000);
  const few = cpuMilliseconds(() => searchTimes(1000));
  const many = cpuMilliseconds(() => searchTimes(10_000));
  expect(many / few).toBeLessThan(25);
});
