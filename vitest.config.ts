import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/real/**', 'node_modules/**'],
    // Two cores: end-to-end tests start three processes each.
    maxWorkers: 2,
    // A shared machine can starve a test that watches real processes; a fault that is real fails three times.
    retry: process.env['CI'] ? 2 : 0,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
