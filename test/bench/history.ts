/**
 * `npm run bench -- history`: 10,000 lines of the shell's history searched key by key, as Ctrl-R does; and the cost of
 * the first search.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHistory } from '../../src/store/index.ts';
import { fuzzySearch } from '../../src/ui/editor/fuzzy.ts';
import { History } from '../../src/ui/editor/history.ts';

const LINES = 10_000;
const QUERIES = ['git commit', 'docker run port', 'kctl pods', 'make', 'zzzz', 'find name py'];

/** Returns typical lines: some programs, many arguments. */
export function historyLines(count: number): readonly string[] {
  const programs = [
    'git commit -m',
    'docker run --rm -p 80',
    'kubectl get pods -n',
    'make -j4',
    'find . -name',
    'ssh host',
  ];
  return Array.from(
    { length: count },
    (_, i) => `${programs[i % programs.length]} "part ${i} of ${(i * 7919) % 1000}" | tee log.${i}`,
  );
}

/** Returns the time of each key in ms. */
export function searchTimes(count: number): { readonly first: number; readonly keys: readonly number[] } {
  const folder = mkdtempSync(join(tmpdir(), 'aish-bench-'));
  try {
    const path = join(folder, 'shell');
    writeFileSync(
      path,
      historyLines(count)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const kept = openHistory(
      join(folder, 'own'),
      (text) => text,
      () => ({ path, format: 'bash' }),
    );
    const history = new History(() => kept.entries());
    const keys: number[] = [];
    const first = timed(() => history.lines());
    for (const query of QUERIES)
      for (let length = 1; length <= query.length; length += 1)
        keys.push(timed(() => fuzzySearch(history.lines(), query.slice(0, length), 200)));
    return { first, keys: keys.sort((a, b) => a - b) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function timed(work: () => unknown): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

if (process.argv[1] === import.meta.filename) {
  searchTimes(LINES);
  const { first, keys } = searchTimes(LINES);
  const at = (part: number) => (keys[Math.floor(keys.length * part)] ?? 0).toFixed(2);
  console.log(
    `${LINES} lines: read in ${first.toFixed(1)} ms; a key p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(0.999)} ms`,
  );
}
