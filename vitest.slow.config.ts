import { defineConfig } from 'vitest/config';

/** What takes minutes or a browser: `npm start` of copies of this tree, as on other people's machines, and pages in Chromium. */
export default defineConfig({
  test: {
    include: ['test/**/*.slow.ts', 'packages/*/test/**/*.slow.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    retry: 0,
    // A busy machine may take long for what a quiet one does at once.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
  },
});
