import { defineConfig } from 'vitest/config';
import { Flaky } from './test/support/flaky.ts';
import { Skips } from './test/support/skips.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    setupFiles: ['test/support/seed.ts'],
    reporters: ['default', new Skips(), new Flaky()],
    // What takes seconds alone takes a minute on a machine that is busy with other work.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Two cores are the common case; ptys and timers suffer from more.
    maxWorkers: 2,
  },
});
