import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import * as Shop from '../mppx/shop.mjs';
import * as Payer from '../support/payer.ts';
import * as Chain from './chain.mjs';
import { clients } from './clients.mjs';
import * as Facilitator from './real-facilitator.mjs';

/**
 * A shop that reads a real chain, with the official facilitator packages: every way that was found to get credit without a
 * payment, and every fault between a payment and its credit. The tests run beside each other, each with a wallet of its own.
 */

const payTo = privateKeyToAccount(generatePrivateKey()).address;
const price = 500_000n;
/** A payment in doubt is looked at every 20 seconds. */
const settledMsMax = 90_000;
/** The shortest that the shop takes, with some time to get there. */
const shortSeconds = 14;

let chain;
let facilitator;
let shop;
/** What the shop says that it granted: the chain must have moved as much. */
let granted = 0;
/** Payments to the same address that were not made at this shop. */
let elsewhere = 0;

before(async () => {
  chain = await Chain.open();
  facilitator = await Facilitator.open(chain);
  shop = await Shop.open({
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.url,
    CLIENT_ADDRESS_HEADER: 'x-forwarded-for',
  });
});
after(async () => {
  await shop?.close();
  await facilitator?.close();
  await chain?.close();
});

describe('a shop on a chain', { concurrency: 12 }, () => {
  for (const name of ['@x402/fetch, version 2', '@x402/fetch, version 1', 'x402-fetch'])
    test(`${name} pays on the chain, once, and gets the transaction as its receipt`, async () => {
      const client = await clients[name]([]);
      await chain.mint(client.address);
      const answer = await client.fetch(`${shop.url}/plans/credit/purchase`, purchase());
      assert.equal(answer.status, 200);
      const { receipt } = await paid(answer);
      assert.match(receipt.reference, /^0x[0-9a-f]{64}$/);
      assert.equal(client.receipt(answer).transaction, receipt.reference);
      assert.equal(await chain.balance(client.address), 10_000_000n - price);
    });

  test('a cancelled authorization buys nothing', async () => {
    const sale = await signed();
    await chain.cancel(sale.wallet, sale.nonce);
    await refused(sale, await sale.send());
    assert.equal(facilitator.asked(sale.wallet.address), 0);
  });

  test('an authorization that is cancelled after its order buys nothing', async () => {
    const sale = await signed();
    facilitator.setFault(sale.wallet.address, 'redirecting');
    assert.equal((await sale.send()).status, 202);
    await chain.cancel(sale.wallet, sale.nonce);
    await refused(sale, await ended(sale));
  });

  test('a transfer of nothing under the nonce buys nothing', async () => {
    const sale = await signed();
    await chain.transfer(await emptied(sale));
    await refused(sale, await sale.send());
  });

  test('a transfer of nothing under the nonce after the order buys nothing', async () => {
    const sale = await signed();
    facilitator.setFault(sale.wallet.address, 'redirecting');
    assert.equal((await sale.send()).status, 202);
    await chain.transfer(await emptied(sale));
    await refused(sale, await ended(sale));
  });

  test('a payment that was made at another shop of the same address buys nothing here', async () => {
    const sale = await signed();
    await chain.transfer(sale.payment.payload);
    elsewhere += 1;
    const answer = await sale.send();
    assert.equal(answer.status, 402);
    assert.equal(await chain.balance(sale.wallet.address), 10_000_000n - price);
  });

  for (const fault of ['lying', 'boasting'])
    test(`a facilitator that is ${fault} gets a payment in doubt, which is declined when it is over`, async () => {
      const sale = await signed({ validSeconds: shortSeconds });
      if (fault === 'boasting') await bought();
      facilitator.setFault(sale.wallet.address, fault);
      const answer = await sale.send();
      assert.equal(answer.status, 202);
      facilitator.setFault(sale.wallet.address, 'redirecting');
      await refused(sale, await ended(sale));
    });

  for (const fault of ['broken', 'cut', 'late'])
    test(`a facilitator that is ${fault} after it settled: granted by the chain, paid once`, async () => {
      const sale = await signed();
      facilitator.setFault(sale.wallet.address, fault);
      const answer = await sale.send();
      assert.ok([200, 202].includes(answer.status), String(answer.status));
      await grantedOnce(sale);
    });

  for (const fault of ['down', 'redirecting'])
    test(`a facilitator that was ${fault} is asked again by the shop itself, and the payment is made once`, async () => {
      const sale = await signed();
      facilitator.setFault(sale.wallet.address, fault);
      const { status, body } = await sale.send();
      assert.equal(status, 202);
      facilitator.setFault(sale.wallet.address, null);
      assert.equal(await state(body.purchase.id), 'granted');
      await grantedOnce(sale);
    });

  test('a facilitator that does not take the shop’s key is no decline, and nothing is taken later', async () => {
    const sale = await signed();
    facilitator.setFault(sale.wallet.address, 'unauthorized');
    const answer = await sale.send();
    assert.equal(answer.status, 503);
    assert.equal(answer.body.code, 'payment_unavailable');
    facilitator.setFault(sale.wallet.address, null);
    const again = await sale.send();
    assert.equal(again.status, 200);
    await grantedOnce(sale);
    assert.equal(facilitator.asked(sale.wallet.address), 2);
  });

  test('two payments in one transaction are both granted', async () => {
    const sales = await Promise.all([signed(), signed()]);
    for (const { wallet } of sales) facilitator.setFault(wallet.address, 'batching');
    const answers = await Promise.all(sales.map((sale) => sale.send()));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const [one, two] = answers.map(({ body }) => body);
    assert.equal(one.receipt.reference, two.receipt.reference);
    assert.notEqual(one.purchase.id, two.purchase.id);
    for (const sale of sales) await grantedOnce(sale);
  });

  test('ten uses of one payment at once move the money once', async () => {
    const sale = await signed();
    const answers = await Promise.all(Array.from({ length: 10 }, () => sale.send()));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    await grantedOnce(sale);
  });

  test('an empty wallet is refused before anything is sent', async () => {
    const sale = await signed({ value: 0n });
    const answer = await sale.send();
    assert.equal(answer.status, 402);
    assert.match(answer.body.detail, /too low/);
    assert.equal(facilitator.asked(sale.wallet.address), 0);
  });

  for (const isDeployed of [true, false])
    test(`a contract wallet pays that is ${isDeployed ? 'on the chain (EIP-1271)' : 'not deployed yet (ERC-6492)'}`, async () => {
      const wallet = await chain.wallet(isDeployed);
      await chain.mint(wallet.address);
      const client = new x402Client().register('eip155:84532', new ExactEvmScheme(wallet));
      const fetched = wrapFetchWithPayment(fetch, client);
      const answer = await fetched(`${shop.url}/plans/credit/purchase`, purchase());
      assert.equal(answer.status, 200);
      await paid(answer);
      assert.equal(await chain.balance(wallet.address), 10_000_000n - price);
    });

  test('a contract wallet pays by nobody else’s signature', async () => {
    const wallet = await chain.wallet(true);
    await chain.mint(wallet.address);
    const thief = Payer.payer();
    const sale = await signed({ wallet: { address: wallet.address, signTypedData: thief.signTypedData } });
    const answer = await sale.send();
    assert.equal(answer.status, 402);
    assert.match(answer.body.detail, /contract wallet/);
    assert.equal(facilitator.asked(wallet.address), 0);
  });
});

test('the address got what was granted, and the books agree with the chain', async () => {
  assert.ok(granted > 0);
  assert.equal(await chain.balance(payTo), BigInt(granted + elsewhere) * price);
  const reconciled = await command('reconcile', '--json');
  assert.equal(reconciled.code, 0, reconciled.output);
  const { payments, taken, unproved } = JSON.parse(reconciled.output);
  assert.deepEqual(
    { payments, unproved, taken },
    {
      payments: granted,
      unproved: 0,
      taken: { processor: granted * Number(price), books: granted * Number(price) },
    },
  );
  const proved = await command('ledger', 'verify');
  assert.equal(proved.code, 0, proved.output);
});

let buyers = 0;

/** A request for a purchase; each comes from an address of its own. */
function purchase(headers = {}) {
  buyers += 1;
  const address = `203.0.${113 + (buyers >> 8)}.${buyers & 255}`;
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body: '{}',
  };
}

/** A payment that is signed and not sent; `validSeconds` is how long it is valid, `value` what its wallet holds. */
async function signed({ wallet = Payer.payer(), validSeconds = 300, value = 10_000_000n } = {}) {
  if (value > 0n) await chain.mint(wallet.address, value);
  const offer = await fetch(`${shop.url}/plans/credit/purchase`, purchase());
  assert.equal(offer.status, 402);
  await offer.arrayBuffer();
  const required = JSON.parse(Buffer.from(offer.headers.get('payment-required'), 'base64').toString());
  const authorization = { validBefore: String(Math.floor(Date.now() / 1000) + validSeconds) };
  const [accepted] = required.accepts;
  const payment = await Payer.pay2(wallet, accepted, { nowMs: Date.now(), authorization }, required.resource);
  const { nonce } = payment.payload.authorization;
  const send = async () => {
    const headers = { 'payment-signature': Payer.base64(payment) };
    const answer = await fetch(`${shop.url}/plans/credit/purchase`, purchase(headers));
    return { status: answer.status, body: await answer.json() };
  };
  return { wallet, accepted, payment, nonce, send };
}

/** The same authorization, spent on a transfer of nothing to oneself. */
async function emptied({ wallet, accepted, nonce }) {
  const authorization = { nonce, to: wallet.address, value: '0' };
  const { payload } = await Payer.pay2(wallet, accepted, { nowMs: Date.now(), authorization });
  return payload;
}

/** A plain purchase, for what comes of it. */
async function bought() {
  const sale = await signed();
  assert.equal((await sale.send()).status, 200);
  await grantedOnce(sale);
}

/** Reads the answer of a purchase that must be granted, and counts it. */
async function paid(answer) {
  const body = await answer.json();
  assert.equal(body.balance_usd, '0.50');
  granted += 1;
  return body;
}

/** The payment is granted in the end, the money went once, and the receipt is a transaction. */
async function grantedOnce(sale) {
  const { body, status } = await ended(sale);
  assert.equal(status, 200);
  assert.match(body.receipt.reference, /^0x[0-9a-f]{64}$/);
  assert.equal(await chain.balance(sale.wallet.address), 10_000_000n - price);
  granted += 1;
}

/** Nothing was bought, and nothing paid. */
async function refused({ wallet }, { status }) {
  assert.equal(status, 402);
  assert.equal(await chain.balance(wallet.address), 10_000_000n);
}

/** The answer to a payment when nobody doubts it any more. */
async function ended(sale) {
  const deadline = Date.now() + settledMsMax;
  for (;;) {
    const answer = await sale.send();
    if (answer.status !== 202 || Date.now() > deadline) return answer;
    await sleep(1_000);
  }
}

/** How an order stands in the end, while its buyer does nothing. */
async function state(id) {
  const deadline = Date.now() + settledMsMax;
  for (;;) {
    const { state } = await (await fetch(`${shop.url}/purchases/${id}`)).json();
    if (state !== 'claimed' || Date.now() > deadline) return state;
    await sleep(500);
  }
}

/** A command of the shop, beside the shop that runs. */
async function command(...args) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/sluice.mjs'), ...args], {
    env: shop.settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let faults = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (faults += text));
  const [code] = await once(child, 'close');
  return { code, output: output || faults };
}
