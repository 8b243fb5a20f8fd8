/**
 * Any owner, mode, time or attribute that somebody sets on any kind of file, after an undo or while it is interrupted,
 * stays or is reported.
 */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks, pathOf } from '../../support/lacks.ts';
import { builtTools, USERS } from './bench.ts';
import { type Acted, builtCut } from './cut.ts';
import { makeScene, type Scene, type Undone } from './scene.ts';

const tools = builtTools();
const undoCut = builtCut(tools);

type Kind = (typeof KINDS)[number];
const KINDS = [
  'content',
  'mode',
  'owner',
  'group',
  'time',
  'attribute',
  'access list',
  'default list',
  'link',
  'name',
] as const;
/** The kinds of state that only root can set. */
const OF_ROOT: readonly Kind[] = ['owner', 'group'];
const OF_NAMES: readonly Kind[] = ['link', 'name'];
/** The delay in ms before the state is set: longer after an undo’s last record than its calls take. */
const LATER_MS = 2_500;
/** The number of calls between two interruptions; each kind of state starts at another call. */
const APART = 65;
const CUTS = 2;
/** The stages of a case, in order. */
const STAGES = ['it goes on', 'it is undone', 'that is undone'] as const;

/** The path of the Python interpreter itself, not of a wrapper that precedes it in PATH. */
const python = lacks('python3')
  ? ''
  : execFileSync(pathOf('python3') ?? '', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();

/** A script that leaves every kind of file, each with a change to undo. */
const SCRIPT = `touch -d 2002-02-02 touched own pipe; touch -h -d 2002-02-02 sym; echo n >> written; chmod 600 mode; chmod 711 set
echo k > made/k; rm made/m away; rm -r gone; mkdir new; echo n > new/n; echo n >> l1; mv moved made/moved; ln -sfn other sym2
[ ! -x ${python} ] || ${python} -c 'import os; os.setxattr("attr", "user.z", b"2"); os.setxattr("dattr", "user.z", b"2")'`;

type Seen = { readonly inode: number; readonly directory: boolean } & Readonly<Record<Kind, unknown>>;
type States = ReadonlyMap<string, Seen>;
type Case = Acted & { readonly at: number; readonly into: string };

/** Sets that kind of state on everything in these trees; returns the resulting states. */
function states(kind: Kind | 'see' | 'own', cases: readonly Pick<Acted, 'scene'>[]): readonly States[] {
  const program = join(import.meta.dirname, 'user-states.py');
  const said = execFileSync(python, [program, kind, ...cases.map(({ scene }) => scene.tree)], { encoding: 'utf8' });
  return (JSON.parse(said) as Record<string, Seen>[]).map((one) => new Map(Object.entries(one)));
}

function scenes(ordinary: boolean, count: number): readonly Scene[] {
  const made = Array.from({ length: count }, () => {
    const scene = makeScene(tools().launcher, ordinary);
    const at = (name: string) => join(scene.tree, name);
    for (const name of ['set', 'made', 'gone', 'dattr']) mkdirSync(at(name));
    const files = ['touched', 'own', 'written', 'mode', 'made/m', 'made/x', 'away', 'gone/g', 'l1', 'moved', 'attr'];
    for (const name of files) writeFileSync(at(name), `${name}\n`);
    linkSync(at('l1'), at('l2'));
    for (const name of ['sym', 'sym2']) symlinkSync('nothing', at(name));
    execFileSync('mkfifo', [at('pipe')]);
    return scene;
  });
  states(
    'own',
    made.map((scene) => ({ scene })),
  );
  return made;
}

async function acted(scene: Scene, ordinary: boolean): Promise<Acted> {
  const { number, code } = await scene.keep(SCRIPT);
  expect(code).toBe(0);
  return { scene, number, ordinary };
}

const named = ({ steps }: Undone) => steps.filter(({ verb }) => verb === 'refused').map(({ path }) => path);

/**
 * Returns states that are neither present, by inode or name, nor named in the output. A removed directory is restored
 * as it was.
 */
function lost(kind: Kind, set: States | undefined, now: States | undefined, told: readonly string[]) {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return [...(set ?? [])].flatMap(([path, { inode, directory, [kind]: value }]) => {
    const at = [...(now ?? [])].filter(([other, seen]) => seen.inode === inode || other === path);
    if (value === null || (directory && at.length === 0 && !OF_NAMES.includes(kind))) return [];
    const kept = (kind === 'content' ? [...(now ?? [])] : at).some(([, seen]) => same(seen[kind], value));
    const names = [...(set ?? [])].filter(([, seen]) => seen.inode === inode).map(([name]) => name);
    return kept || names.some((name) => told.includes(name)) ? [] : [path];
  });
}

/** Returns undos that were killed at several of their calls. */
async function cutsOf(kind: Kind, ordinary: boolean): Promise<readonly Case[]> {
  const first = 4 + 4 * KINDS.indexOf(kind);
  const all: Case[] = [];
  for (const [i, scene] of scenes(ordinary, CUTS).entries()) {
    const one = await acted(scene, ordinary);
    const at = first + i * APART;
    const into = undoCut(one, at);
    if (into === undefined) scene.dispose();
    else all.push({ ...one, at, into });
  }
  return all;
}

const dispose = (cases: readonly Pick<Acted, 'scene'>[]) => {
  for (const { scene } of cases) scene.dispose();
};

describe.skipIf(lacks('cc') || lacks('python3')).each(USERS)(
  'a mode, owner, time or attribute set by somebody else, as %s',
  (_, ordinary) => {
    const kinds = KINDS.filter((kind) => !((ordinary || process.getuid?.() !== 0) && OF_ROOT.includes(kind)));
    describe.each([
      ['later', LATER_MS],
      ['at once', 0],
    ])('after an undo was killed, %s', (_when, waitMs) => {
      const cuts = new Map<Kind, readonly Case[]>();
      beforeAll(async () => {
        for (const kind of waitMs === 0 ? [] : kinds) cuts.set(kind, await cutsOf(kind, ordinary));
        await sleep(waitMs);
      }, 240_000);
      afterAll(() => dispose([...cuts.values()].flat()));

      it.each(kinds)('is kept or reported, also when the undo is undone: %s', { timeout: 120_000 }, async (kind) => {
        const cases = cuts.get(kind) ?? (await cutsOf(kind, ordinary));
        cuts.set(kind, cases);
        expect(cases.length).toBeGreaterThan(1);
        const set = states(kind, cases);
        const told: string[][] = cases.map(() => []);
        let steps = cases.map(({ scene, number, into }) => ({ of: join(scene.store, String(number)), into }));
        for (const stage of STAGES) {
          for (const [i, { scene }] of cases.entries()) {
            const { of, into } = steps[i] ?? { of: '', into: '' };
            told[i]?.push(...named(await scene.launcher('--undo', of, '--into', into)));
          }
          const now = states('see', cases);
          const missing = cases.map(({ at }, i) => [stage, at, ...lost(kind, set[i], now[i], told[i] ?? [])]);
          expect(missing).toEqual(cases.map(({ at }) => [stage, at]));
          steps = steps.map(({ into }, i) => ({ of: into, into: cases[i]?.scene.next().directory ?? '' }));
        }
      });
    });

    it.each(kinds)('between an undo and its redo is kept or reported: %s', { timeout: 60_000 }, async (kind) => {
      const cases: Acted[] = [];
      for (const scene of scenes(ordinary, 1)) cases.push(await acted(scene, ordinary));
      for (const { scene, number } of cases) {
        const undone = await scene.undo(number);
        const [set] = states(kind, cases);
        const again = await scene.undo(undone.number);
        const told = named(again);
        expect(lost(kind, set, states('see', cases)[0], told)).toEqual([]);
        told.push(...named(await scene.undo(again.number)));
        expect(lost(kind, set, states('see', cases)[0], told)).toEqual([]);
      }
      dispose(cases);
    });
  },
);
