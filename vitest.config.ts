import { defineConfig } from 'vitest/config';
import { Flaky } from './test/support/flaky.ts';
import { Skips } from './test/support/skips.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/support/own-temporary.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/shared-process.ts'],
    // With a socket for its input, which is what Node gives for a pipe, bash at level 0 would read the machine's ~/.bashrc.
    env: { SHLVL: '1' },
    // The runner's summary comes last.
    reporters: [new Skips(), new Flaky(), 'default'],
    // What takes seconds alone takes a minute on a machine that is busy with other work.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Two cores are the common case; ptys and timers suffer from more.
    maxWorkers: 2,
    // A process for each file would cost half a second: three minutes in all.
    isolate: false,
  },
});
