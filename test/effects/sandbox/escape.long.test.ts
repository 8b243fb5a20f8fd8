/**
 * Tries to break out (SB-1). Each operation is first tried outside the sandbox: if it fails there for this user, it
 * proves nothing and is not counted. Inside the sandbox it must be refused. `expected.tsv` has the results on Linux
 * 6.18, x86-64; AISH_SANDBOX_WRITE=1 rewrites it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectSandbox } from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { attack, isRefusal, isWide, type Place, type Results, WIDE } from './attack.ts';
import { layOut } from './scene.ts';
import { buildTools } from './tools.ts';

const EXPECTED = join(import.meta.dirname, 'expected.tsv');
const WRITE = process.env.AISH_SANDBOX_WRITE === '1';
const PLACES: readonly Place[] = ['outside', 'full', 5, 3, 2, 1, ...WIDE];
const ROOT = process.getuid?.() === 0;
const USERS = ROOT ? ['root', 'user'] : ['user'];
const NOBODY = 65534;

/**
 * Operations that succeed in these profiles but stay inside: private directories, the private loopback, reading as
 * root.
 */
const PRIVATE = [
  "files: read another user's file as root",
  'metadata: make a set-user-ID file in the private directory',
  'kernel: become another user',
];
const INSIDE_ONLY = {
  project: new Set([
    ...PRIVATE,
    'files: create in /tmp',
    'files: create in /dev/shm',
    ...['TCP over IPv6', 'TCP listen', 'UDP send', 'UDP bind', 'netlink: routes'].map((name) => `network: ${name}`),
  ]),
  held: new Set(PRIVATE.slice(0, 1)),
  trial: new Set(PRIVATE),
} as const;

const tools = lacks('cc') ? undefined : await buildTools({ hostile: true });
const kernel = tools ? await detectSandbox({ launcher: tools.launcher }) : { available: false, landlockAbi: 0 };
const seen = new Map<string, Results>();
const changed: string[] = [];
const arrived: string[] = [];

beforeAll(async () => {
  if (!tools) return;
  for (const user of USERS) {
    const uid = user === 'root' ? 0 : ROOT ? NOBODY : (process.getuid?.() ?? NOBODY);
    for (const place of PLACES) {
      const scene = await layOut(tools, uid, isWide(place) ? '/var/tmp' : undefined);
      const before = scene.snapshot();
      const arrivals = scene.arrivals();
      seen.set(`${user} ${place}`, await attack(tools, scene, place));
      if (scene.snapshot() !== before) changed.push(`${user} ${place}`);
      if (scene.arrivals() !== arrivals) arrived.push(`${user} ${place}`);
      await scene.dispose();
    }
  }
  if (WRITE && ROOT) writeFileSync(EXPECTED, table());
});
afterAll(() => tools?.dispose());

/** Returns the column for this kernel's abilities; from Landlock 6 on it is the last one. */
function columnOf(user: string, place: Place): string {
  if (place !== 'full' || kernel.landlockAbi >= 6) return `${user} ${place}`;
  return `${user} ${[5, 3, 2, 1].find((abi) => abi <= kernel.landlockAbi) ?? 1}`;
}

function columns(): readonly string[] {
  return ['root', 'user'].flatMap((user) => PLACES.map((place) => `${user} ${place}`));
}

function table(): string {
  const names = [...(seen.get(columns()[0] ?? '')?.keys() ?? [])];
  const rows = names.map((name) => [name, ...columns().map((column) => seen.get(column)?.get(name) ?? 'absent')]);
  return `${[['operation', ...columns()], ...rows].map((row) => row.join('\t')).join('\n')}\n`;
}

function expected(): Map<string, Map<string, string>> {
  const [head = '', ...rows] = readFileSync(EXPECTED, 'utf8').trimEnd().split('\n');
  const names = head.split('\t').slice(1);
  return new Map(
    rows.map((row) => {
      const [name = '', ...cells] = row.split('\t');
      return [name, new Map(names.map((column, i) => [column, cells[i] ?? '']))];
    }),
  );
}

const results = (user: string, place: Place): Results => seen.get(`${user} ${place}`) ?? new Map();
const hostile = (name: string): boolean => !name.startsWith('wanted: ');

describe.skipIf(!kernel.available).each(USERS)('the sandbox as %s', (user) => {
  it('is tested with at least 80 operations that do harm outside', () => {
    const outside = results(user, 'outside');
    const proving = [...outside].filter(([name, result]) => hostile(name) && result === 'done');
    const silent = [...outside].filter(([name, result]) => hostile(name) && result !== 'done');
    console.log(`${user}: ${proving.length} proving; not counted: ${silent.map((row) => row.join(' ')).join(', ')}`);
    expect(proving.length).toBeGreaterThanOrEqual(80);
  });

  it.each(PLACES.filter((place) => place !== 'outside'))(
    'refuses the harmful operations in %s (a number means an older Landlock)',
    (place) => {
      const table = expected();
      const inside = results(user, place);
      const column = columnOf(user, place);
      // The table lists what is known to get through, and nothing else may.
      const through = [...inside].filter(([name, result]) => hostile(name) && result === 'done').map(([name]) => name);
      const known = through.filter((name) => table.get(name)?.get(column) === 'done');
      expect(through).toEqual(known);
      const odd = [...results(user, 'outside')].filter(([name, outside]) => {
        const result = inside.get(name) ?? 'not run';
        return hostile(name) && outside === 'done' && !known.includes(name) && !isRefusal(place, result);
      });
      expect(odd.map(([name]) => `${name}: ${inside.get(name)}`)).toEqual([]);
      expect([...inside.keys()].sort()).toEqual([...results(user, 'outside').keys()].sort());
    },
  );

  it('refuses every operation where the kernel has all of Landlock', () => {
    const open = expected();
    const through = [...open].filter(([name, row]) => hostile(name) && row.get(`${user} full`) === 'done');
    expect(through).toEqual([]);
  });

  it.each(WIDE)('allows in %s only operations that harm nothing outside', (place) => {
    const through = [...results(user, place)].filter(([name, result]) => hostile(name) && result === 'done');
    expect(through.map(([name]) => name).filter((name) => !INSIDE_ONLY[place].has(name))).toEqual([]);
  });

  it.each(['full', ...WIDE] as const)('allows the legitimate operations in %s', (place) => {
    const refused = [...results(user, place)].filter(([name, result]) => !hostile(name) && result !== 'done');
    // In a PID namespace of its own there is no such process.
    expect(refused.map(([name]) => name).filter((name) => !isWide(place) || !/another's/.test(name))).toEqual([]);
  });

  it('leaves every file outside unchanged, and lets nothing reach a process outside', () => {
    const inside = (list: readonly string[]) =>
      list.filter((entry) => entry.startsWith(`${user} `) && !entry.endsWith('outside'));
    expect(inside(changed)).toEqual([]);
    // Before scoped signals (Landlock 6) the victim can be signalled; with them it must not be.
    const mustNot = kernel.landlockAbi >= 6 ? [`${user} full`] : [];
    expect(inside(arrived).filter((entry) => mustNot.includes(entry))).toEqual([]);
  });
});
