import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import * as Shop from '../mppx/shop.mjs';
import * as Facilitator from '../support/facilitator.ts';
import { clients } from './clients.mjs';

let facilitator;
let shop;
before(async () => {
  facilitator = await Facilitator.open();
  shop = await Shop.open({
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
    CLIENT_ADDRESS_HEADER: 'x-forwarded-for',
  });
});
beforeEach(() => facilitator.setMood('honest'));
after(async () => {
  await shop?.close();
  await facilitator?.close();
});

for (const [name, open] of Object.entries(clients)) {
  describe(name, () => {
    test('pays the price, once, and reads the receipt', async () => {
      const client = await open([]);
      const before = facilitator.settled.length;
      const answer = await buy(client);
      assert.equal(answer.status, 200);
      const settled = facilitator.settled.slice(before);
      assert.equal(settled.length, 1);
      assert.equal(settled[0].from, client.address);
      assert.equal(settled[0].value, 500_000n);
      assert.equal(client.receipt(answer).transaction, settled[0].transaction);
    });

    test('is not asked to pay again where nobody knows what became of its payment', async () => {
      facilitator.setMood('settled_cut');
      const client = await open([]);
      const before = facilitator.settled.length;
      assert.equal((await buy(client)).status, 202);
      assert.equal(facilitator.settled.length, before + 1);
    });
  });
}

let buyers = 0;

/** Each buyer has an address of its own. */
function buy({ fetch }) {
  buyers += 1;
  return fetch(`${shop.url}/plans/credit/purchase`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${buyers}` },
    body: '{}',
  });
}
