import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as Quotes from '../support/running-quotes.mjs';
import { clients } from './clients.mjs';

let quotes;
before(async () => {
  quotes = await Quotes.open();
});
after(() => quotes?.close());

for (const [name, open] of Object.entries(clients)) {
  describe(name, () => {
    test('proves its wallet, is advised, and reads the receipt', async () => {
      const seen = [];
      const client = await open(seen);
      const answer = await ask(client);
      assert.equal(answer.status, 200);
      const body = await answer.json();
      assert.equal(body.guide, 'leads');
      assert.equal(body.wallet, client.address);
      assert.equal('access_token' in body, false);
      assert.deepEqual(seen, [
        name.includes('1') || name === 'x402-fetch' ? 'x-payment' : 'payment-signature',
      ]);
      const { success, payer, transaction } = client.receipt(answer);
      assert.deepEqual(
        { success, payer, transaction },
        { success: true, payer: client.address, transaction: '' },
      );
    });
  });
}

function ask({ fetch }) {
  return fetch(quotes.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"goal":"leads"}',
  });
}
