import { describe, expect, it } from 'vitest';
import { fuzzySearch } from '../../../src/ui/editor/fuzzy.ts';
import { History } from '../../../src/ui/editor/history.ts';
import { searchTimes } from '../../bench/history.ts';
import { cpuMilliseconds } from '../../support/cpu-time.ts';

describe('the history', () => {
  it('has lines once, at their newest place, and those that are kept later', () => {
    const kept = ['a', 'b', 'a'];
    const it = new History(() => kept);
    expect(it.lines()).toEqual(['b', 'a']);
    kept.push('c', 'b');
    expect(it.lines()).toEqual(['a', 'c', 'b']);
    kept.push('b', 'a');
    expect(it.lines()).toEqual(['c', 'b', 'a']);
  });

  it('is walked back and forth, and gives the draft back', () => {
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

  it('is walked among the lines that begin like the draft', () => {
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

it('searches ten times the lines at about ten times the cost', () => {
  searchTimes(10_000);
  const few = cpuMilliseconds(() => searchTimes(1000));
  const many = cpuMilliseconds(() => searchTimes(10_000));
  expect(many / few).toBeLessThan(25);
});
