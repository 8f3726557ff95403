import { defineConfig } from 'vitest/config';

/** `npm test` runs the fast tests. `LONG=1 npm test` also runs the long ones: random histories, whole shops, real waiting times. */
const kinds = process.env.LONG ? '{test,long}' : 'test';

export default defineConfig({
  test: {
    include: [`test/**/*.${kinds}.ts`, `packages/*/test/**/*.${kinds}.ts`],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    retry: 0,
    // A busy machine may take long for what a quiet one does at once.
    expect: { poll: { timeout: 20_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
  },
});
