import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as BareHttp from '../support/bare-http.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let received: Upstream.Received[] = [];
let buyer: Customer.Customer;

const usage = JSON.stringify({ usage: { prompt_tokens: 1, completion_tokens: 1 } });

beforeAll(async () => {
  upstream = await Upstream.scripted((request) => {
    received.push(request);
    request.socket.write(Upstream.http(200, usage, []));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'metered.yaml', env: {} });
  buyer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, buyer, 1_000_000);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

/** @param more a header that the fast path leaves to Node's server */
function call(headers: Readonly<Record<string, string>>): Promise<Customer.Answer> {
  received = [];
  const given = { 'content-type': 'application/json', ...headers };
  return BareHttp.send(
    'POST',
    `${shop.url}/v1/chat/completions`,
    given,
    '{"model":"small-1","max_tokens":9}',
  );
}

/** The fast path, and Node's server, which takes over requests with `te`. */
const ways: [string, Record<string, string>][] = [
  ['on the fast path', {}],
  ['on Node’s server', { te: 'trailers' }],
];

for (const [way, more] of ways) {
  test(`two different tokens without Authorization are refused before the upstream is called, ${way}`, async () => {
    const answer = await call({ 'x-api-key': buyer.token, 'x-goog-api-key': 'other', ...more });
    expect(answer.status).toBe(422);
    expect(received).toHaveLength(0);
  });

  for (const name of ['x-api-key', 'x-goog-api-key', 'X-Api-Key']) {
    test(`a token in ${name} pays for a call and never reaches the upstream, ${way}`, async () => {
      expect((await call({ [name]: buyer.token, ...more })).status).toBe(200);
      expect(received).toHaveLength(1);
      expect(JSON.stringify(received.map(({ socket, ...rest }) => rest))).not.toContain(buyer.token);
    });

    test(`Authorization decides beside another token in ${name}, which never reaches the upstream, ${way}`, async () => {
      const both = { authorization: `Bearer ${buyer.token}`, [name]: 'other', ...more };
      expect((await call(both)).status).toBe(200);
      expect(received).toHaveLength(1);
      expect(received[0]?.head.toLowerCase()).not.toContain(`\n${name.toLowerCase()}:`);
    });

    test(`an invalid token in ${name} is refused, ${way}`, async () => {
      expect((await call({ [name]: 'sk-other', ...more })).status).toBe(401);
      expect(received).toHaveLength(0);
    });
  }
}
