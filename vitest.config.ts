import { defineConfig } from 'vitest/config';

/** `npm test` runs the fast tests. `LONG=1 npm test` also runs the long ones: random histories, whole shops, real waiting times. */
const kinds = process.env.LONG ? '{test,long}' : 'test';

export default defineConfig({
  test: {
    include: [`test/**/*.${kinds}.ts`, `packages/*/test/**/*.${kinds}.ts`],
    // The deadlines of all tests: a busy machine may take long for what a quiet one does at once. A test names another one only where it means it.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    retry: 0,
    // Not longer than the time between two reconciliations of a storefront, so that these bring little of what a notification should bring.
    expect: { poll: { timeout: 20_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
  },
});
