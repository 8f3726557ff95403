import { describe, expect, it } from 'vitest';
import * as Cache from '../src/live/cache.ts';
import * as Gate from '../src/live/gate.ts';
import type { Question } from '../src/live/source.ts';

const open = new AbortController().signal;
const held = () => Promise.withResolvers<void>();

describe('the bound on simultaneous requests', () => {
  it('lets the others wait in order, and refuses those beyond the number that may wait', async () => {
    const gate = Gate.create(1, 2);
    const first = held();
    const order: number[] = [];
    const enter = (number: number) => gate.run(open, async () => void order.push(number));
    const running = gate.run(open, () => first.promise);
    const waiting = [enter(1), enter(2)];
    await expect(enter(3)).rejects.toMatchObject({ reason: 'busy' });
    expect(gate.running()).toBe(1);
    first.resolve();
    await Promise.all([running, ...waiting]);
    expect(order).toEqual([1, 2]);
    expect(gate.running()).toBe(0);
  });

  it('gives the place of a request that failed, or that no longer waits, to the next', async () => {
    const gate = Gate.create(1, 2);
    const first = held();
    const running = gate.run(open, () => first.promise);
    const deadline = new AbortController();
    const late = gate.run(deadline.signal, async () => 'late');
    const next = gate.run(open, async () => 'next');
    deadline.abort();
    await expect(late).rejects.toMatchObject({ reason: 'slow' });
    first.reject(new Error('broken'));
    await expect(running).rejects.toThrow('broken');
    expect(await next).toBe('next');
    expect(gate.running()).toBe(0);
  });

  it('keeps no place for a request whose deadline ends in the moment in which it gets one', async () => {
    const gate = Gate.create(1, 1);
    const first = held();
    const running = gate.run(open, () => first.promise);
    const deadline = new AbortController();
    const late = gate.run(deadline.signal, async () => 'late').catch(() => 'slow');
    first.resolve();
    deadline.abort();
    await Promise.all([running, late]);
    expect(gate.running()).toBe(0);
  });
});

describe('the cache of live profiles', () => {
  const question = (title: string, limit = 5): Question => ({
    companyUrl: 'https://www.network.example/company/a',
    step: { include_title: [title], exclude_title: [], location: [], include_headline_search: false },
    limit,
  });

  function started(bytesMax: number) {
    const asked: string[] = [];
    const cache = Cache.create({ maxAgeMs: 1_000, bytesMax, clock: () => 0 });
    const ask = async (title: string, { limit = 5, returned = 5 } = {}) => {
      const answer = { profiles: [], returned, bytes: 100 };
      const { isCached } = await cache.answer(question(title, limit), open, async () => {
        asked.push(title);
        return answer;
      });
      return isCached;
    };
    return { ask, asked };
  }

  it('drops the oldest responses beyond its size, which empty ones use up too', async () => {
    const { ask } = started(2 * Cache.entryBytes + 200);
    for (const title of ['a', 'b', 'c']) expect(await ask(title)).toBe(false);
    expect(await ask('c')).toBe(true);
    expect(await ask('b')).toBe(true);
    expect(await ask('a')).toBe(false);
  });

  it('answers a search for more only if the source had no more', async () => {
    const { ask } = started(10 * Cache.entryBytes);
    await ask('full', { limit: 5, returned: 5 });
    expect(await ask('full', { limit: 6 })).toBe(false);
    await ask('few', { limit: 5, returned: 2 });
    expect(await ask('few', { limit: 100 })).toBe(true);
  });
});
