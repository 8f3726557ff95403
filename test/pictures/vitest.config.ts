import { defineConfig } from 'vitest/config';

/** Pictures of every page in each of its states, for people who review them: `npm run pictures`. */
export default defineConfig({
  test: {
    include: ['test/pictures/**/*.pictures.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    retry: 0,
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
  },
});
