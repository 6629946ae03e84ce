import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    // Real CLIs are large and slow to start: one at a time.
    maxWorkers: 1,
    fileParallelism: false,
    retry: process.env['CI'] ? 2 : 0,
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
});
