/**
 * A hostile host’s claims about files that a command in Project left for others to run: bounded work, nothing outside
 * the tree, no terminal escapes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskThere } from '../../../src/effects/undo/disk.ts';
import type { Step } from '../../../src/effects/undo/launcher.ts';
import { Leftovers } from '../../../src/effects/undo/leftovers.ts';
import type { Recorded } from '../../../src/effects/undo/record.ts';

const TREE = '/srv/app';
const action: Recorded = {
  ...{ kind: 'command', text: 'make', cwd: `web1:${TREE}`, session: 's', at: 0, notes: [] },
  ...{ number: 1, directory: '/store/1', tree: TREE, state: 'ended', touched: true },
  ...{ created: 1, deleted: 0, changed: 0, moved: 0, bytes: 1, complete: true, abandoned: true },
} as const;

const made = (...paths: readonly string[]): readonly Step[] =>
  paths.map((path) => ({ verb: 'made', path, source: 'f 1 1 1' }));

/** A host on which an action left these names. */
function hostWith(
  names: readonly Step[],
  entries = '',
  room = true,
  refused = 0,
  answer = (code: string) => (code.includes('-mindepth') ? entries : '1\n'),
) {
  const [aside, warnings, written]: [string[], string[], string[]] = [[], [], []];
  const disk = diskThere({
    ...{ host: 'web1', directory: '/store', whyNothingKept: () => Promise.resolve(undefined) },
    ask: (code) => Promise.resolve({ exit: 0, text: answer(code) }),
    run(args) {
      const only = args.indexOf('--only');
      if (only >= 0) aside.push(...args.slice(only + 2));
      if (args[0] === '--put') written.push(args[1] ?? '');
      const steps = args.includes('--names') ? names : [];
      const output = steps.map(({ verb, path, source }) => `${verb}\0${path}\0${source}\0`).join('');
      return Promise.resolve({ code: only < 0 ? 0 : refused, output, error: '' });
    },
  });
  const leftovers = new Leftovers({
    ...{ disk, session: 's', maxFileBytes: 0, hide: (text: string) => text },
    warn: (text) => warnings.push(text),
    records: () => Promise.resolve([action]),
    here: () => [],
    drop: () => Promise.resolve(),
    open: () => (room ? Promise.resolve({ number: 2, directory: '/store/2' }) : Promise.reject(new Error('full'))),
    putBack: () => Promise.resolve(true),
  });
  return { leftovers, aside, warnings, written };
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

describe('a file left on a host whose connection was lost before the question', () => {
  it('is set aside, with a message', async () => {
    const { leftovers, aside, warnings, written } = hostWith(made(`${TREE}/.envrc`));
    await leftovers.catchUp();
    expect(aside).toEqual([`${TREE}/.envrc`]);
    expect(warnings).toEqual([
      expect.stringMatching(/^set aside on web1, .*: \.envrc is run .* · :undo 2 yes brings it$/),
    ]);
    expect(written).toEqual(['/store/1/made']);
  });

  it('is reported with the way to restore it when only part could be set aside', async () => {
    const { leftovers, warnings } = hostWith(made(`${TREE}/.envrc`, `${TREE}/.husky`), '', true, 1);
    await leftovers.catchUp();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^left for .*: \.envrc is run [^(]*; \.husky [^(]* in place is set aside: :undo 2 yes brings it$/,
      ),
    ]);
  });

  it('is reported and checked again when there is no room to set it aside', async () => {
    const { leftovers, aside, warnings, written } = hostWith(made(`${TREE}/.envrc`), '', false);
    await leftovers.catchUp();
    expect(aside).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^left for others .*in place on web1, .*: \.envrc is run [^·]*$/)]);
    expect(written).toEqual([]);
  });
});

describe('somebody else’s use of the tree during a command', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'aish-far-'));
    for (const name of ['tree/.git', 'tree/sub', 'store/1']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'tree/file'), '');
    writeFileSync(join(root, 'store/1/action.json'), '');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /**
   * Returns what waits for the user, when these paths changed unrecorded and the action began this many seconds from
   * now.
   */
  async function waits(seconds: number, ...names: readonly string[]): Promise<readonly string[]> {
    const began = new Date(Date.now() + seconds * 1000);
    utimesSync(join(root, 'store/1/action.json'), began, began);
    const { leftovers } = hostWith([], '', true, 0, (code) => execFileSync('sh', ['-c', code], { encoding: 'utf8' }));
    const notes = names.map((name) => `unkept ${root}/tree/${name}`);
    const left = await leftovers.of({ ...action, directory: join(root, 'store/1'), tree: join(root, 'tree'), notes });
    return left?.items.map((item) => item.split(' ')[0] ?? '') ?? [];
  }

  it('with git asks nothing about an unchanged repository', async () => {
    expect(await waits(10, '.git', '.git/index.lock', '.git/index')).toEqual([]);
    expect(await waits(10, '.git', '.git/config')).toEqual(['.git/config']);
    expect(await waits(-10, '.git', '.git/index.lock')).toEqual(['.git']);
    rmSync(join(root, 'tree/.git'), { recursive: true });
    for (const make of [
      () => writeFileSync(join(root, 'tree/.git'), ''),
      () => symlinkSync('sub', join(root, 'tree/.git')),
    ]) {
      make();
      expect(await waits(10, '.git')).toEqual(['.git']);
      rmSync(join(root, 'tree/.git'));
    }
  });
});

describe('a hostile host’s list of leftovers', () => {
  it('can set aside files that other programs run, but only inside the tree', async () => {
    const { leftovers, aside } = hostWith(
      made(`${TREE}/.envrc`, '/etc/.envrc', `${TREE}2/.envrc`, TREE, `${TREE}/note`),
    );
    expect((await leftovers.of(action))?.items).toEqual([expect.stringMatching(/^\.envrc is run by/)]);
    expect(aside).toEqual([`${TREE}/.envrc`]);
  });

  it.each(['../../etc/.envrc', 'a/../../../.envrc', 'a//.envrc', './.envrc', 'a/..', 'a/'])(
    'with %s is not trusted: nothing is changed, and the user is asked',
    async (path) => {
      const { leftovers, aside } = hostWith(made(`${TREE}/.envrc`, `${TREE}/${path}`));
      expect((await leftovers.of(action))?.items).toEqual([expect.stringContaining('can’t be read')]);
      expect(aside).toEqual([]);
    },
  );

  it('with escapes in names is shown as text', async () => {
    const { leftovers, aside, warnings } = hostWith(made(`${TREE}/\u001b]0;owned\u0007\u009b2J\n/.envrc`));
    await leftovers.catchUp();
    expect(aside).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    expect(warnings.join()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('is processed in time proportional to its length', async () => {
    const paths = Array.from({ length: 20_000 }, (_, n) => `${TREE}/${n}/.envrc`);
    const { leftovers, aside, warnings } = hostWith(made(...paths));
    expect(await cpuSeconds(() => leftovers.of(action))).toBeLessThan(4);
    expect(warnings).toEqual([]);
    expect(aside).toHaveLength(paths.length);
  });

  it('that is too long to set aside is asked about, and reported as still in place', async () => {
    const { leftovers, aside } = hostWith(Array.from({ length: 60_000 }, (_, n) => made(`${TREE}/${n}/.envrc`)).flat());
    const items = (await leftovers.of(action))?.items ?? [];
    expect([items.length, aside.length]).toEqual([60_000, 0]);
    expect(items[0]).toContain('could not be set aside: it stays in place');
  });

  it('with many names in a moved directory is processed in proportional time', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => `f${TREE}/old/${n}\0`).join('');
    const { leftovers, aside } = hostWith([{ verb: 'moved', path: `${TREE}/old`, source: 'd 1 1 1' }], rows);
    expect(await cpuSeconds(() => leftovers.of(action))).toBeLessThan(4);
    expect(aside).toEqual([]);
  });
});
