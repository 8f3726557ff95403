import { describe } from 'vitest';

process.env.TEST_UPSTREAM_CLIENT = 'undici';

// The tests of the built-in client apply to undici's too: this registers the same files again.
describe('by undici’s client', async () => {
  for (const file of ['upstream', 'stream', 'upstream-failure', 'key-leak', 'reuse', 'secure-upstream'])
    await import(`./${file}.test.ts`);
  await import('../upstreams/fallback.test.ts');
});
