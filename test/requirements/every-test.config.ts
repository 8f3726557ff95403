import { defineConfig } from 'vitest/config';

/** All tests that have names, whichever suite runs them. `test-names.ts` lists them; no suite uses this configuration. */
export default defineConfig({
  test: {
    include: [
      '{test,packages/*/test}/**/*.{test,long,slow}.{ts,mjs}',
      'packages/kernel/json-count/*.test.mjs',
      'sdk/typescript/test/*.test.ts',
    ],
    exclude: ['**/node_modules/**'],
  },
});
