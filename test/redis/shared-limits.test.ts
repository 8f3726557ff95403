import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Waits from '../support/waits.ts';
import * as RedisServer from './redis-server.ts';

const perSecond = 20;
const callers = 8;
/** Maximum wait for a response, even while Redis is down: far below what a caller would consider an outage. */
const answerMsMax = Waits.busyFactor * 2_000;

describe.skipIf(RedisServer.program === '')('a limit over two processes', () => {
  let redis: RedisServer.RedisServer;
  let upstream: Upstream.ScriptedUpstream;
  let shop: Shop.Shop;
  let bases: string[];
  beforeAll(async () => {
    redis = await RedisServer.open();
    upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{}')));
    shop = await Shop.open({
      upstream: { url: upstream.url, key: 'upk_1' },
      catalog: 'limited.yaml',
      env: { REDIS_URL: redis.url },
    });
    bases = [shop.url.replace('localhost', '127.0.0.1'), await shop.addStorefront()];
  });
  afterAll(async () => {
    redis?.resume();
    await shop?.stop();
    await redis?.kill();
    await upstream?.close();
  });

  const buyer = async () => {
    const customer = await Customer.register(shop.url);
    await Customer.credit(shop.sql, customer, 1_000_000);
    return customer;
  };

  type Load = { passed: number; refused: number; seconds: number; slowestMs: number };

  /** Calls of one account, half at each process, as fast as responses arrive, until `until` returns true. */
  async function load(customer: Customer.Customer, until: (load: Load) => boolean): Promise<Load> {
    const startedMs = performance.now();
    const load = { passed: 0, refused: 0, seconds: 0, slowestMs: 0 };
    const caller = async (base: string) => {
      while (!until(load)) {
        const askedMs = performance.now();
        const { status } = await Customer.call(customer, 'POST', `${base}/v1/list`, {});
        expect([200, 429]).toContain(status);
        if (status === 200) load.passed += 1;
        else load.refused += 1;
        load.slowestMs = Math.max(load.slowestMs, performance.now() - askedMs);
        load.seconds = (performance.now() - startedMs) / 1_000;
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, at) => caller(bases[at % 2] ?? '')));
    return load;
  }

  /** The most calls that a rolling second allows in this time: `perSecond` at once, and as many again each second. */
  const mostIn = (seconds: number) => perSecond * (Math.ceil(seconds) + 1);
  const said = (event: string) =>
    shop.storefronts.map((one) => one.output().split(`"event":"${event}"`).length - 1);

  it('is counted by both together: a crowd at both gets what one of them would give', async () => {
    const customer = await buyer();
    const { passed, refused, seconds } = await load(customer, (one) => one.seconds > 2.5);
    expect(refused).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(mostIn(seconds));
    expect(passed).toBeGreaterThanOrEqual(2 * perSecond);
  });

  for (const [misfortune, strike, mend] of [
    ['killed', () => redis.kill(), () => redis.start()],
    ['paused', () => redis.pause(), () => redis.resume()],
  ] as const) {
    it(`is kept by each for its share while Redis is ${misfortune} under load, and found again`, async () => {
      const customer = await buyer();
      const before = { away: said('shared_limits_away'), back: said('shared_limits_back') };
      let struck = false;
      const during = await load(customer, (one) => {
        if (!struck && one.passed > perSecond / 2) {
          struck = true;
          void strike();
        }
        return one.seconds > 4;
      });
      expect(during.passed).toBeLessThanOrEqual(mostIn(during.seconds));
      // The limit never blocks everything: each process allows its half.
      expect(during.passed).toBeGreaterThan(2 * perSecond);
      expect(during.slowestMs).toBeLessThan(answerMsMax);
      await expect.poll(() => said('shared_limits_away')).toEqual(before.away.map((n) => n + 1));

      await mend();
      await expect.poll(() => said('shared_limits_back')).toEqual(before.back.map((n) => n + 1));
      const after = await load(customer, (one) => one.seconds > 2.5);
      expect(after.passed).toBeLessThanOrEqual(mostIn(after.seconds));
      expect(after.passed).toBeGreaterThanOrEqual(2 * perSecond);
    });
  }
});
