import { expect, it } from 'vitest';
import { changesText, tellsChanges } from '../../../src/contracts/undo.ts';
import { filesOf, together } from '../../../src/effects/undo/preview.ts';

const step = (verb: string, path: string) => ({ verb, path, source: '' });

it('names each path once, by what became of it over all actions', () => {
  const first = filesOf([
    step('created', '/w/new'),
    step('created', '/w/passing'),
    step('deleted', '/w/old'),
    step('changed', '/w/y'),
  ]);
  const second = filesOf([step('changed', '/w/new'), step('deleted', '/w/passing'), step('created', '/w/old')]);
  expect(
    together([first, second, filesOf([step('mode', '/w'), step('replaced', '/w/x'), step('deleted', '/w/y')])]),
  ).toEqual([
    { path: '/w/new', how: 'created' },
    { path: '/w/old', how: 'changed' },
    { path: '/w/y', how: 'deleted' },
    { path: '/w/x', how: 'changed' },
  ]);
});

it('names what was moved by its new name, and by the old one where it is gone after all', () => {
  const moved = (from: string, path: string) => ({ verb: 'moved', path: from, source: path });
  const actions = [
    [moved('/w/a', '/w/b'), step('created', '/w/made'), moved('/w/old', '/w/c'), moved('/w/x', '/w/y')],
    [moved('/w/b', '/w/d/b'), moved('/w/made', '/w/d/made'), step('deleted', '/w/c'), moved('/w/y', '/w/x')],
  ].map(filesOf);
  expect(together(actions)).toEqual([
    { path: '/w/d/b', how: 'moved', from: '/w/a' },
    { path: '/w/d/made', how: 'created' },
    { path: '/w/old', how: 'deleted' },
  ]);
});

it('says in a line what a run has changed: the first names, and how to take it back', () => {
  const files = ['/w/a', '/w/b/c', '/other/d', '/w/e'].map((path) => ({ path, how: 'changed' }) as const);
  const text = changesText({ summary: '4 files changed', files }, '/w');
  expect(text).toBe('4 files changed: a, b/c, /other/d and 1 more · :undo run takes it back');
  expect(tellsChanges(text)).toBe(true);
  expect(changesText({ summary: 'modes or times changed', files: [] }, '/w')).toBe(
    'modes or times changed · :undo run takes it back',
  );
});

it.each(['\x1b[2J\nrun done', `\x1b[2J\n${'x'.repeat(200)}`, `${'x'.repeat(200)}\x1b[2J\nrun done`])(
  'lets no name act, begin a line, or fill the screen: %j',
  (name) => {
    const text = changesText({ summary: '1 file created', files: [{ path: `/w/${name}`, how: 'created' }] }, '/w');
    expect(text).not.toMatch(/[\x00-\x1f]/);
    expect(text.length).toBeLessThan(140);
  },
);
