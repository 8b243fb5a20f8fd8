import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OwnFiles, plainFiles } from '../../src/safety/files.ts';

let folder: string;
let own: OwnFiles;
const path = (name: string) => join(folder, name);

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'aish-own-')));
  own = new OwnFiles();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An action that names these targets and does this. */
async function action(names: readonly string[], act: () => void): Promise<void> {
  const before = await own.before(names.map(path));
  act();
  await own.after(before);
}

const make = (name: string, text = 'x') => action([name], () => writeFileSync(path(name), text));
const isOwn = async (name: string) => (await own.unchanged()).has(path(name)) && (await own.isOwn(path(name)));

describe('a file is its own', () => {
  it('when an action that names it made it', async () => {
    await make('a');
    expect(await isOwn('a')).toBe(true);
  });

  it('and still when a later action of its own changed it', async () => {
    await make('a');
    await make('a', 'other text');
    expect(await isOwn('a')).toBe(true);
  });
});

describe('a file is not its own', () => {
  it('when it was there before', async () => {
    writeFileSync(path('a'), 'the user wrote this');
    await make('a');
    expect(await isOwn('a')).toBe(false);
  });

  it('when the action did not name it, or made nothing', async () => {
    await action(['b'], () => writeFileSync(path('a'), 'x'));
    expect(await isOwn('a')).toBe(false);
    expect(await isOwn('b')).toBe(false);
  });

  it.each<[string, () => void]>([
    ['more was written to it', () => appendFileSync(path('a'), 'more')],
    ['its text was replaced by one as long', () => writeFileSync(path('a'), 'y')],
    [
      'another file took its place',
      () => {
        writeFileSync(path('new'), 'x');
        renameSync(path('new'), path('a'));
      },
    ],
    ['it has a second name', () => linkSync(path('a'), path('b'))],
    [
      'a link took its place',
      () => {
        renameSync(path('a'), path('b'));
        symlinkSync(path('b'), path('a'));
      },
    ],
    ['it is gone', () => rmSync(path('a'))],
  ])('any more: %s', async (_, change) => {
    await make('a');
    change();
    expect(await isOwn('a')).toBe(false);
  });

  it('when only its text differs, and its time was put back', async () => {
    await make('a');
    const time = new Date(1_600_000_000_000);
    utimesSync(path('a'), time, time);
    await action(['a'], () => {});
    expect(await isOwn('a')).toBe(false);
  });

  it('when it was changed by someone else before the next action', async () => {
    await make('a');
    writeFileSync(path('a'), 'by the user');
    await make('a', 'by the model');
    expect(await isOwn('a')).toBe(false);
  });

  it('when it is reached through a link', async () => {
    mkdirSync(path('real'));
    symlinkSync(path('real'), path('link'));
    await make('link/a');
    expect(await isOwn('link/a')).toBe(false);
    await action(['l'], () => symlinkSync('/etc/hosts', path('l')));
    expect(await isOwn('l')).toBe(false);
    await action(['d'], () => mkdirSync(path('d')));
    expect(await isOwn('d')).toBe(false);
  });
});

it('of files that are said to be made, only plain ones count', async () => {
  writeFileSync(path('a'), 'x');
  symlinkSync(path('a'), path('b'));
  writeFileSync(path('c'), 'x');
  linkSync(path('c'), path('d'));
  expect([...(await plainFiles(['a', 'b', 'c', 'd', 'e'].map(path)))]).toEqual([path('a')]);
});
