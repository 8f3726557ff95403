import { describe, expect, it } from 'vitest';
import * as KeptIds from '../../src/direct/filters/kept-ids.ts';

const never = () => Promise.reject(new Error('asked again'));

describe('the ids that a question found', () => {
  it('are found once, and paged in order from behind any of them', async () => {
    const kept = KeptIds.create();
    await KeptIds.of(kept, { search: 'a' }, async () => [30, 10, 20, 40]);
    const ids = await KeptIds.of(kept, { search: 'a' }, never);
    expect([...KeptIds.page(ids, -1, 2)]).toEqual([10, 20]);
    expect([...KeptIds.page(ids, 20, 2)]).toEqual([30, 40]);
    expect([...KeptIds.page(ids, 25, 9)]).toEqual([30, 40]);
    expect([...KeptIds.page(ids, 40, 2)]).toEqual([]);
  });

  it('are forgotten for those asked least recently once there are too many in all', async () => {
    const kept = KeptIds.create();
    const many = Array.from({ length: KeptIds.idsMax }, (_, at) => at);
    for (let question = 0; question < 200; question++) KeptIds.put(kept, question, many);
    await KeptIds.of(kept, 0, never);
    KeptIds.put(kept, 'one more', many);
    await KeptIds.of(kept, 0, never);
    await expect(KeptIds.of(kept, 1, never)).rejects.toThrow('asked again');
    expect(kept.count).toBe(200 * KeptIds.idsMax);
  });

  it('count once where they are kept again, and none where they could not be found', async () => {
    const kept = KeptIds.create();
    KeptIds.put(kept, 'a', [1, 2, 3]);
    KeptIds.put(kept, 'a', [1, 2]);
    await expect(KeptIds.of(kept, 'b', never)).rejects.toThrow('asked again');
    expect(kept.count).toBe(2);
  });
});
