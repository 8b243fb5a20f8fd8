/** The cost of keeping (EF-1) and trying (EF-5), as ratios of CPU time in one run. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTools } from '../effects/sandbox/tools.ts';
import { lacks } from '../support/lacks.ts';

const tools = await buildTools();
const root = mkdtempSync(join(tmpdir(), 'aish-effects-'));
let stores = 0;

function store(): string {
  stores += 1;
  const directory = join(root, 'stores', String(stores));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** Returns the seconds of CPU time of a shell script and its children. */
function cpu(script: string): number {
  const timed = `TIMEFORMAT='%U %S'; time { ${script}\n}`;
  const { stderr } = spawnSync('bash', ['-c', timed], { encoding: 'utf8', cwd: root, maxBuffer: 1 << 28 });
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return user + system;
}

/**
 * Returns the shortest time per script over several rounds in turns, because load on the machine only makes a round
 * longer.
 */
function least(rounds: number, ...scripts: readonly (() => string)[]): readonly number[] {
  const found = scripts.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1)
    for (const [i, script] of scripts.entries()) found[i] = Math.min(found[i] ?? 0, cpu(script()));
  return found;
}

const STARTS = 50;
const repeated = (command: () => string) => () => Array.from({ length: STARTS }, command).join('\n');

const kept = (command: string, directory = store()) =>
  `'${tools.launcher}' --supervise --keep '${directory}' --keep-tree '${root}/tree' -- ${command}`;

function grow(directories: number, files: number): void {
  rmSync(join(root, 'tree'), { recursive: true, force: true });
  for (let d = 0; d < directories; d += 1) {
    mkdirSync(join(root, 'tree', `d${d}`), { recursive: true });
    for (let f = 0; f < files; f += 1) writeFileSync(join(root, 'tree', `d${d}`, `f${f}`), 'text\n');
  }
}

/** Makes a small project in C. */
function project(files: number): void {
  const directory = join(root, 'project');
  mkdirSync(directory);
  for (let i = 0; i < files; i += 1)
    writeFileSync(
      join(directory, `f${i}.c`),
      `#include <stdio.h>\nint f${i}(int n) { return printf("%d", n + ${i}); }\n`,
    );
  const rules = 'OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))\nall: all.a\nall.a: $(OBJECTS)\n\tar rcs $@ $^\n';
  writeFileSync(join(directory, 'Makefile'), `${rules}clean:\n\trm -f *.o all.a\n`);
}

function row(what: string, plain: number, with_: number, limit: number): void {
  console.log(`${what.padEnd(32)} ${plain.toFixed(2)} s  ×${(with_ / plain).toFixed(2)} (goal ≤ ${limit})`);
}

try {
  const tried = (command: string, directory = store()) =>
    `'${tools.launcher}' --trial '${directory}' --tree '${root}/tree' -- ${command}`;
  grow(1, 1);
  const [bare = 0, keeping = 0, trying = 0] = least(
    5,
    repeated(() => 'bash -c true'),
    repeated(() => kept('bash -c true')),
    repeated(() => tried('bash -c true')),
  );
  row(`start, ${STARTS} ×`, bare, keeping, 2);
  row(`start of a trial, ${STARTS} ×`, bare, trying, 3);
  if (!lacks('cc') && !lacks('make')) {
    project(60);
    const make = "make -s -C '" + join(root, 'project') + "' clean all";
    const [plain = 0, with_ = 0] = least(
      3,
      () => make,
      () => kept(make),
    );
    row('make of 60 files', plain, with_, 1.1);
  }
  grow(100, 100);
  const read = "bash -c 'for i in {1..10}; do grep -r text tree >/dev/null; find tree -newer tree >/dev/null; done'";
  const [reading = 0, readingKept = 0, readingTried = 0] = least(
    21, // The rounds are short, so that load on the machine spares some of many.
    () => read,
    () => kept(read),
    () => tried(read),
  );
  row('grep and find', reading, readingKept, 1.05);
  row('grep and find, tried', reading, readingTried, 2.5);
  // ext4 searches long for an inode where many were freed recently, so the new directories are put elsewhere on the
  // disk.
  if (!lacks('chattr')) spawnSync('chattr', ['+T', join(root, 'tree')]);
  const create = (name: string) => `bash -c 'mkdir tree/${name}; for i in {1..5000}; do : > tree/${name}/$i; done'`;
  let creations = 0;
  const fresh = () => {
    creations += 1;
    return create(`made${process.pid}-${creations}`); // A file’s place on the disk depends on its name.
  };
  const [creating = 0, creatingKept = 0] = least(
    3,
    () => fresh(),
    () => kept(fresh()),
  );
  row('5,000 files created', creating, creatingKept, 2.6);
  grow(500, 100);
  const plain = cpu('rm -rf tree');
  grow(500, 100);
  const directory = store();
  row('rm -rf of 50,000 files', plain, cpu(kept('rm -rf tree', directory)), 4.5);
  const back = cpu(`'${tools.launcher}' --undo '${directory}' --into '${store()}' >/dev/null`);
  console.log(`${'and its undo'.padEnd(32)} ${back.toFixed(2)} s  ×${(back / plain).toFixed(2)}`);
  grow(100, 100);
  cpu('cd tree && git init -q && git add -A && git -c user.name=a -c user.email=b commit -qm x');
  const status = "bash -c 'cd tree; for i in {1..20}; do git status >/dev/null; done'";
  row('git status, tried', cpu(status), cpu(tried(status)), 4);
  grow(500, 100);
  const own = store();
  const steps = [
    cpu(tried('rm -rf tree/', own)),
    cpu(`'${tools.launcher}' --changes '${own}' --tree '${root}/tree' >/dev/null`),
    cpu(`'${tools.launcher}' --apply '${own}' --tree '${root}/tree'`),
    cpu(`'${tools.launcher}' --undo '${own}' --into '${store()}' >/dev/null`),
  ];
  row(
    'rm -rf tried, listed, applied, undone',
    plain,
    steps.reduce((sum, step) => sum + step, 0),
    7,
  );
  console.log(`${''.padEnd(32)} ${steps.map((step) => `${step.toFixed(2)} s`).join(' + ')}`);
} finally {
  tools.dispose();
  rmSync(root, { recursive: true, force: true });
}
