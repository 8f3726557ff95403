import { describe, expect, it } from 'vitest';
import * as IdCache from '../src/filters/id-cache.ts';

const never = () => Promise.reject(new Error('asked again'));

describe('the ids that a question found', () => {
  it('are found once, and paged in order from behind any of them', async () => {
    const kept = IdCache.create();
    await IdCache.getOrFind(kept, { search: 'a' }, async () => [30, 10, 20, 40]);
    const ids = await IdCache.getOrFind(kept, { search: 'a' }, never);
    expect([...IdCache.page(ids, -1, 2)]).toEqual([10, 20]);
    expect([...IdCache.page(ids, 20, 2)]).toEqual([30, 40]);
    expect([...IdCache.page(ids, 25, 9)]).toEqual([30, 40]);
    expect([...IdCache.page(ids, 40, 2)]).toEqual([]);
  });

  it('are forgotten for those asked least recently once there are too many in all', async () => {
    const kept = IdCache.create();
    const many = Array.from({ length: IdCache.idsMax }, (_, at) => at);
    for (let question = 0; question < 200; question++) IdCache.put(kept, question, many);
    await IdCache.getOrFind(kept, 0, never);
    IdCache.put(kept, 'one more', many);
    await IdCache.getOrFind(kept, 0, never);
    await expect(IdCache.getOrFind(kept, 1, never)).rejects.toThrow('asked again');
    expect(kept.count).toBe(200 * IdCache.idsMax);
  });

  it('count once where they are kept again, and none where they could not be found', async () => {
    const kept = IdCache.create();
    IdCache.put(kept, 'a', [1, 2, 3]);
    IdCache.put(kept, 'a', [1, 2]);
    await expect(IdCache.getOrFind(kept, 'b', never)).rejects.toThrow('asked again');
    expect(kept.count).toBe(2);
  });
});
