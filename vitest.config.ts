import { defineConfig } from 'vitest/config';
import { Flaky } from './test/support/flaky.ts';
import { Skips } from './test/support/skips.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    setupFiles: ['test/support/seed.ts'],
    reporters: ['default', new Skips(), new Flaky()],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores are the common case; ptys and timers suffer from more.
    maxWorkers: 2,
  },
});
