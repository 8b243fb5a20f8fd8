/** Files that the user saves during an apply: after its check of all files, and before or after its step for a file. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sceneForEach } from './bench.ts';
import { tickOf, trialsWork, triedIn } from './trial-support.ts';

/** A directory that is usually on another file system than temporary directories. */
const ELSEWHERE = '/dev/shm';
const FILES = 2000;
/** The size of a journal, in bytes, that shows that some steps were taken and most were not. */
const SOME_STEPS = 40_000;

const at = sceneForEach();
const { put, get, refused } = at;
const names = Array.from({ length: FILES }, (_, i) => `d${i % 20}/f${i}`);
const path = (name: string) => join(at.scene.tree, name);

/** Stops an apply between two steps, or once `isAt` is true, runs `meanwhile`, and lets the apply continue. */
async function applied(number: number, meanwhile: () => void, isAt?: () => boolean): Promise<number | null> {
  const store = join(at.scene.store, String(number));
  const journal = join(store, 'journal');
  const before = existsSync(journal) ? statSync(journal).size : 0;
  const begun = isAt ?? (() => existsSync(journal) && statSync(journal).size >= before + SOME_STEPS);
  const child = spawn(at.tools.launcher, ['--apply', store, '--tree', at.scene.tree], { stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  // A busy loop, because the apply is over within a tenth of a second.
  while (!begun());
  child.kill('SIGSTOP');
  while (!/^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')));
  meanwhile();
  child.kill('SIGCONT');
  return ended;
}

describe.skipIf(!trialsWork())('a file saved during an apply', () => {
  const SAVES: readonly (readonly [string, (name: string) => void])[] = [
    ['into the file', (name) => put(name, 'mine\n')],
    [
      'by another file that takes its place',
      (name) => {
        put(`${name}~`, 'mine\n');
        renameSync(path(`${name}~`), path(name));
      },
    ],
  ];

  it.each(SAVES)('keeps its new content, and the apply is rolled back: saved %s', async (_, save) => {
    for (let i = 0; i < 20; i += 1) mkdirSync(path(`d${i}`));
    for (const name of names) put(name, 'old\n');
    const { number, rows } = await triedIn(at.scene, 'for f in d*/f*; do echo new >> $f; done');
    expect(rows).toHaveLength(FILES);
    tickOf(at.scene);
    const saved: Record<string, string[]> = { 'old\n': [], 'old\nnew\n': [] };
    const code = await applied(number, () => {
      for (const name of names) {
        const of = saved[get(name)];
        if (!of || of.length === 20) continue;
        of.push(name);
        save(name);
      }
    });
    expect(Object.values(saved).map(({ length }) => length)).toEqual([20, 20]);
    expect(code).toBe(2);
    const undone = await at.scene.undo(number);
    expect(refused(undone)).toHaveLength(20);
    const mine = new Set(Object.values(saved).flat());
    for (const name of names) expect(get(name), name).toBe(mine.has(name) ? 'mine\n' : 'old\n');
  });

  it('survives where the apply removes a whole directory', async () => {
    for (let i = 0; i < 20; i += 1) mkdirSync(path(`d${i}`));
    for (const name of names) put(name, 'old\n');
    const { number } = await triedIn(at.scene, 'for f in d?/f*; do echo new >> $f; done; rm -r d1?');
    tickOf(at.scene);
    const mine: string[] = [];
    const code = await applied(number, () => {
      for (let i = 10; i < 20; i += 1)
        for (const name of [`d${i}/f${i}`, `d${i}/more`]) {
          if (!existsSync(path(`d${i}`))) continue;
          put(name, 'mine\n');
          mine.push(name);
        }
    });
    // All files may be removed by then; their order is that of the file system.
    if (mine.length > 0) expect(code).toBe(2);
    await at.scene.undo(number);
    for (const name of names) expect(get(name), name).toBe(mine.includes(name) ? 'mine\n' : 'old\n');
    for (const name of mine) expect(get(name)).toBe('mine\n');
  });

  it('survives while new content is being copied, which takes a while', async () => {
    if (statSync(ELSEWHERE).dev === statSync(at.scene.root).dev) return;
    at.anew(false, ELSEWHERE);
    put('big', 'a'.repeat(100_000_000));
    const { number } = await triedIn(at.scene, 'echo more >> big');
    const isCopying = () => readdirSync(at.scene.tree).some((name) => name.startsWith('.aish-apply'));
    expect(await applied(number, () => put('big', 'mine\n'), isCopying)).toBe(2);
    await at.scene.undo(number);
    expect([readdirSync(at.scene.tree), get('big')]).toEqual([['big'], 'mine\n']);
  });

  it('is not assumed where the command itself set a future modification time', async () => {
    put('a', 'old\n');
    const { number } = await triedIn(at.scene, 'echo new > a; touch -d 2099-01-01 a');
    expect((await at.scene.apply(number)).code).toBe(0);
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect(get('a')).toBe('old\n');
  });

  it('does not count as changed by the apply when saved after its own step, and survives an undo', async () => {
    for (let i = 0; i < 20; i += 1) mkdirSync(path(`d${i}`));
    for (const name of names) put(name, 'old\n');
    const { number } = await triedIn(at.scene, 'for f in d*/f*; do echo new >> $f; done');
    tickOf(at.scene);
    const mine: string[] = [];
    const code = await applied(number, () => {
      for (const name of names) if (mine.length < 20 && get(name) === 'old\nnew\n') mine.push(name);
      for (const name of mine) put(name, 'mine\n');
    });
    expect(code).toBe(0);
    for (const name of names) expect(get(name), name).toBe(mine.includes(name) ? 'mine\n' : 'old\nnew\n');
    expect(refused(await at.scene.undo(number))).toHaveLength(mine.length);
    for (const name of names) expect(get(name), name).toBe(mine.includes(name) ? 'mine\n' : 'old\n');
  });
});
