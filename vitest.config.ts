import { configDefaults, defineConfig } from 'vitest/config';

/** `npm test` runs the fast tests. `LONG=1 npm test` also runs the long ones: random histories, whole shops, real waiting times. */
const filesOf = (kind: 'test' | 'long') => [`test/**/*.${kind}.ts`, `packages/*/test/**/*.${kind}.ts`];
/** Files that change what other files import, and therefore get a process each: test/architecture/apart.test.ts lists what they have in common. */
export const apart = [
  'packages/data-api/test/network-host.test.ts',
  'test/events/attacks.test.ts',
  'test/proxy/by-undici.long.ts',
];
/** The deadlines of all tests: a busy machine may take long for what a quiet one does at once. A test names another one only where it means it. */
const deadlines = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  retry: 0,
  // Not longer than the time between two reconciliations of a storefront, so that these bring little of what a notification should bring.
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      // One process runs fast files one after another and imports each module once: imports and starts were a third of their time.
      {
        test: {
          ...deadlines,
          name: 'together',
          include: filesOf('test'),
          exclude: [...configDefaults.exclude, ...apart],
          isolate: false,
        },
      },
      // Long files keep their own processes, because imports are little of their time.
      {
        test: {
          ...deadlines,
          name: 'long',
          include: process.env.LONG ? filesOf('long') : [],
          exclude: [...configDefaults.exclude, ...apart],
        },
      },
      {
        test: {
          ...deadlines,
          name: 'apart',
          include: apart.filter((path) => process.env.LONG || path.endsWith('.test.ts')),
        },
      },
    ],
  },
});
