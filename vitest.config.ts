import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores are the common case; ptys and timers suffer from more.
    maxWorkers: 2,
  },
});
