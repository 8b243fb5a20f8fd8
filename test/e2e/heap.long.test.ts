/** Allowance for what V8 uses beyond the program's own data. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const HEAP = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/**
 * Produces garbage as a flood does, and prints the MB that V8 used for young objects. It takes the median, since V8
 * briefly uses more while its own threads wait for a processor.
 */
const CHURN = `
  import { getHeapSpaceStatistics } from 'node:v8';
  if (process.argv[1]) (await import(process.argv[1])).boundHeap();
  let kept = [];
  const looks = [];
  for (let n = 0; n < 1_000_000; n += 1) {
    kept.push({ n, text: 'text ' + n });
    if (kept.length > 60_000) kept = kept.slice(50_000);
    if (n % 20_000 > 0) continue;
    const { space_size } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    looks.push(space_size / 2 ** 20);
  }
  console.log(looks.sort((a, b) => a - b)[looks.length >> 1]);`;

const roomWith = (...args: string[]) =>
  Number(execFileSync(process.execPath, ['--input-type=module', '-e', CHURN, ...args], { encoding: 'utf8' }));

it('the memory for young objects stays bounded however much garbage is made', () => {
  expect(roomWith(HEAP)).toBeLessThanOrEqual(4);
  expect(roomWith()).toBeGreaterThan(8);
});
