import { expect, it } from 'vitest';

// Signal 0 only asks, so this test does no harm where the guard is missing.
it.each([-1, 0, 1, Number.NaN])('no test sends a signal to %d', (pid) => {
  expect(() => process.kill(pid, 0)).toThrow('more than was meant');
  expect(process.kill(process.pid, 0)).toBe(true);
});
