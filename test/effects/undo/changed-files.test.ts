import { describe, expect, it } from 'vitest';
import { type ChangedFile, changesText, tellsChanges } from '../../../src/contracts/undo.ts';
import { Net } from '../../../src/effects/undo/net.ts';

const step = (verb: string, path: string, source = '') => ({ verb, path, source });
const moved = (from: string, path: string) => step('moved', from, path);
const net = (...actions: readonly (readonly ReturnType<typeof step>[])[]) => {
  const all = new Net();
  for (const [at, steps] of actions.entries()) all.add(`/s/${at + 1}`, steps);
  return all;
};

describe('the net change of several actions', () => {
  it('names each path once with its net change', () => {
    const { files } = net(
      [step('created', '/w/new'), step('created', '/w/passing'), step('deleted', '/w/old'), step('changed', '/w/y')],
      [step('changed', '/w/new'), step('deleted', '/w/passing'), step('created', '/w/old')],
      [step('mode', '/w'), step('replaced', '/w/x', 'l/1'), step('deleted', '/w/y')],
    );
    expect(files).toEqual([
      { path: '/w/new', how: 'created' },
      { path: '/w/old', how: 'changed' },
      { path: '/w/x', how: 'changed' },
      { path: '/w/y', how: 'deleted' },
    ]);
  });

  it('names a moved file by its new name, or by the old one when it was removed', () => {
    const { files } = net(
      [moved('/w/a', '/w/b'), step('created', '/w/made'), moved('/w/old', '/w/c'), moved('/w/x', '/w/y')],
      [moved('/w/b', '/w/d/b'), moved('/w/made', '/w/d/made'), step('deleted', '/w/c'), moved('/w/y', '/w/x')],
    );
    expect(files).toEqual([
      { path: '/w/d/b', how: 'moved', from: '/w/a' },
      { path: '/w/d/made', how: 'created' },
      { path: '/w/old', how: 'deleted' },
    ]);
  });

  it('keeps the original content of a path, whatever happened later', () => {
    const { changes } = net(
      [step('changed', '/w/a', 'c/1')],
      [step('replaced', '/w/a', 'l/1'), step('replaced', '/w/b', 'l/2')],
      [step('mode', '/w/a'), moved('/w/b', '/w/c'), step('mode', '/w/m')],
    );
    expect(changes).toEqual([
      { path: '/w/a', how: 'changed', old: '/s/1/c/1' },
      { path: '/w/c', how: 'created' },
      { path: '/w/m', how: 'mode' },
      { path: '/w/b', how: 'deleted', old: '/s/2/l/2' },
    ]);
  });

  it('follows a directory with its contents', () => {
    const { changes } = net(
      [step('changed', '/w/d/x', 'c/1'), step('created', '/w/d/n')],
      [moved('/w/d', '/w/e')],
      [step('deleted', '/w/e/y', 'l/1'), step('changed', '/w/e/z', 'c/1')],
    );
    expect(changes).toEqual([
      { path: '/w/e', how: 'moved', from: '/w/d' },
      { path: '/w/e/x', how: 'changed', old: '/s/1/c/1' },
      { path: '/w/e/n', how: 'created' },
      { path: '/w/e/z', how: 'changed', old: '/s/3/c/1' },
      { path: '/w/d/y', how: 'deleted', old: '/s/3/l/1' },
    ]);
    const gone = net([moved('/w/d', '/w/e')], [step('directory', '/w/e'), step('deleted', '/w/e/y', 'l/1')]).changes;
    expect(gone.map(({ path, how }) => `${how} ${path}`)).toEqual(['deleted /w/d', 'deleted /w/d/y']);
  });
});

const changed = (...paths: readonly string[]): readonly ChangedFile[] =>
  paths.map((path) => ({ path, how: 'changed' }));
const text = (files: readonly ChangedFile[], lost: readonly string[] = []) => changesText({ files, lost }, '/w');

describe('the summary at the end of a run', () => {
  const KEYS = ':undo run takes it back · :undo list chooses';

  it('names up to eight files, each with what happened to it, and how to take it back', () => {
    const files: readonly ChangedFile[] = [
      { path: '/w/a', how: 'changed', lines: { added: 4, removed: 2 } },
      { path: '/w/b/c', how: 'created', lines: { added: 12, removed: 0 } },
      { path: '/other/d', how: 'moved', from: '/w/d' },
    ];
    const told = text(files);
    expect(told.split('\n')).toEqual([
      '1 file changed, 1 created, 1 moved',
      '  a         +4 −2',
      '  b/c       created, +12',
      '  /other/d  moved from d',
      'cannot be taken back: nothing',
      KEYS,
    ]);
    expect(tellsChanges(told)).toBe(true);
    expect(text(changed(...'abcdefghij'.split('').map((name) => `/w/${name}`)))).toContain('\n  and 3 more\n');
    expect(text([])).toBe(`only modes or times changed\ncannot be taken back: nothing\n${KEYS}`);
  });

  it('names a directory in place of its contents, and counts the files', () => {
    const files = ['/w/src', '/w/src/a', '/w/src/b'].map((path) => ({ path, how: 'deleted' }) as const);
    expect(text(files)).toMatch(/^2 files deleted\n {2}src {2}2 files deleted\n/);
  });

  it('separates the user’s files from those of git and caches, and says what is not kept', () => {
    const files = changed('/w/a', '/w/.git/index', '/w/.git/HEAD', '/w/node_modules/x/y', '/w/p/__pycache__/z.pyc');
    expect(text(files, ['/w/.env']).split('\n')).toEqual([
      '1 file changed',
      '  a  changed',
      "git's own: 2 · caches: 2",
      'cannot be taken back: .env',
      ':undo run takes the rest back · :undo list chooses',
    ]);
  });

  it.each(['\x1b[2J\nrun done', `\x1b[2J\n${'x'.repeat(200)}`, `${'x'.repeat(200)}\x1b[2J\nrun done`])(
    'lets no file name send escapes, begin a line, or fill the screen: %j',
    (name) => {
      const lines = text([{ path: `/w/${name}`, how: 'created' }]).split('\n');
      expect(lines).toHaveLength(4);
      expect(lines.join('')).not.toMatch(/[\x00-\x1f]/);
      expect(lines[1]?.length).toBeLessThan(100);
    },
  );
});
