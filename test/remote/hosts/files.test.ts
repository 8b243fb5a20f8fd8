/** Inspecting files on a host, with this machine's sh in place of the remote one. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostFiles } from '../../../src/remote/hosts/files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const asked: string[] = [];
const files = (path = '/usr/bin:/bin') =>
  hostFiles((code) => {
    asked.push(code);
    const { status, stdout } = spawnSync('/bin/sh', ['-c', code], {
      encoding: 'utf8',
      env: { PATH: path, LC_ALL: 'C' },
    });
    return Promise.resolve({ exit: status ?? 1, text: stdout });
  });
const never = () => false;

describe('the list of existing paths', () => {
  it('includes a path whose name looks like an error message', async () => {
    // Prints ls's complaint about files below a directory that can't be searched.
    const own = join(folder, 'bin');
    mkdirSync(own);
    writeFileSync(
      join(own, 'ls'),
      '#!/bin/sh\nfor p do :; done\necho "ls: cannot access \'$p\': Permission denied" >&2\n',
    );
    chmodSync(join(own, 'ls'), 0o755);
    for (const name of ['No such file or directory', 'x: Not a directory', 'plain']) {
      const path = join(folder, name, 'below');
      const found = await files(`${own}:/usr/bin:/bin`).existing([{ path, glob: false, cwd: '/' }], never);
      expect(found).toEqual([path]);
    }
    expect(await files().existing([{ path: 'none', glob: false, cwd: folder }], never)).toEqual([]);
  });
});

describe('the identity of a path', () => {
  const at = (...parts: string[]) => join(folder, ...parts);
  const same = async (path: string, change: () => void, glob = false) => {
    const before = await files().identities([{ path, glob, cwd: folder }]);
    expect(await files().identities([{ path, glob, cwd: folder }])).toEqual(before);
    change();
    const after = await files().identities([{ path, glob, cwd: folder }]);
    return JSON.stringify(after) === JSON.stringify(before);
  };

  it.each<[string, string, () => void]>([
    ['another file', 'file', () => renameSync(at('other'), at('file'))],
    ['another directory', 'dir', () => (renameSync(at('dir'), at('was')), mkdirSync(at('dir')))],
    ['a path that did not exist', 'new', () => writeFileSync(at('new'), '')],
    ['nothing', 'file', () => rmSync(at('file'))],
    [
      'another link to the same target',
      'link',
      () => (symlinkSync('file', at('link2')), renameSync(at('link2'), at('link'))),
    ],
    [
      'a link in place of its target',
      'file',
      () => (renameSync(at('file'), at('was')), symlinkSync('was', at('file'))),
    ],
    ['a new file behind a link', 'link', () => renameSync(at('other'), at('file'))],
    [
      'a dangling link to another target',
      'gone',
      () => (symlinkSync('y', at('gone2')), renameSync(at('gone2'), at('gone'))),
    ],
    [
      'a dangling link through another link',
      'gone',
      () => (symlinkSync('y', at('new')), renameSync(at('new'), at('nowhere'))),
    ],
    ['a name in another directory', 'dir/none', () => (renameSync(at('dir'), at('was')), mkdirSync(at('dir')))],
  ])('changes with %s', async (_, path, change) => {
    for (const name of ['file', 'other']) writeFileSync(at(name), 'x');
    mkdirSync(at('dir'));
    symlinkSync('file', at('link'));
    symlinkSync('nowhere', at('gone'));
    expect(await same(path, change)).toBe(false);
  });

  it.each([
    ['another name', 'nowhere', 'elsewhere'],
    ['a name with another ending', 'nowhere', 'nowhere\n'],
    ['a name of several lines', 'a\nb', 'a\nc'],
  ])('changes for a dangling link that was removed and made again, to %s', async (_, first, then) => {
    // The new link mostly gets the inode number of the old one; this fake makes it always so.
    const own = at('bin');
    mkdirSync(own);
    const stat = `#!/bin/sh\n/usr/bin/stat "$@" | sed 's/^[0-9][0-9]*/7/'\n`;
    writeFileSync(join(own, 'stat'), stat, { mode: 0o755 });
    const look = () => files(`${own}:/usr/bin:/bin`).identities([{ path: 'gone', glob: false, cwd: folder }]);
    symlinkSync(first, at('gone'));
    const before = await look();
    expect(await look()).toEqual(before);
    rmSync(at('gone'));
    symlinkSync(then, at('gone'));
    expect(await look()).not.toEqual(before);
  });

  it('changes for a pattern that matches more, or whose own file was written to', async () => {
    for (const name of ['a 1', 'a$(touch made)']) writeFileSync(at(name), 'x');
    expect(await same('a*', () => writeFileSync(at('a 1'), 'more'), true)).toBe(true);
    expect(await same('a*', () => writeFileSync(at('a 2'), 'x'), true)).toBe(false);
    expect(await files().existing([{ path: 'made', glob: false, cwd: folder }], never)).toEqual([]);
  });

  it('is determined by one program call for all paths that are not links', async () => {
    for (let n = 0; n < 50; n += 1) writeFileSync(at(`file-${n}`), 'x');
    const own = join(folder, 'bin');
    mkdirSync(own);
    const programs = `#!/bin/sh\necho x >>'${own}/log'\nexec /usr/bin/stat "$@"\n`;
    writeFileSync(join(own, 'stat'), programs, { mode: 0o755 });
    const looked = await files(own).identities([{ path: 'file-*', glob: true, cwd: folder }]);
    expect(looked.filter((line) => /file-\d+ \d+:\d+$/.test(line))).toHaveLength(50);
    const log = spawnSync('cat', [join(own, 'log')], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n');
    // The first call also detects which dialect of stat the host has.
    expect(log).toHaveLength(2);
  });
});
