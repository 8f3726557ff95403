import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Challenge, Receipt } from 'mppx';
import { Mppx, stripe } from 'mppx/client';
import * as Shop from './shop.mjs';

const cliMsMax = 60_000;

let shop;
let home;
before(async () => {
  shop = await Shop.open();
  home = await mkdtemp(join(tmpdir(), 'sluice-mppx-home-'));
});
after(async () => {
  await shop?.close();
  if (home) await rm(home, { recursive: true, force: true });
});

test('the stock command line buys credit without an account and is given one', async () => {
  const { code, stdout, log } = await mppx('pm_card_visa');
  assert.equal(code, 0, log);
  const answer = JSON.parse(stdout);
  assert.equal(answer.success, true);
  assert.equal(answer.balance_usd, '0.50');
  assert.match(log, /^> Authorization: Payment /m);
  assert.match(log, /^< payment-receipt: /m);
  assert.match(log, /^< cache-control: private/m);
  assert.equal(await balance(answer.access_token), '0.50');
});

test('the stock command line buys credit for the account of its bearer token', async () => {
  const bearer = await register();
  const { code, stdout, log } = await mppx('pm_card_visa', '-H', `Authorization: Bearer ${bearer}`);
  assert.equal(code, 0, log);
  const answer = JSON.parse(stdout);
  assert.equal(answer.success, true);
  assert.equal(answer.balance_usd, '0.50');
  assert.equal('access_token' in answer, false);
  assert.match(log, /^> Payment-Authorization: Payment /m);
  assert.equal(await balance(bearer), '0.50');
});

test('a card that is declined buys nothing, and the stock command line says so', async () => {
  const bearer = await register();
  const { code, log } = await mppx('pm_card_chargeDeclined', '-H', `Authorization: Bearer ${bearer}`);
  assert.equal(code, 75, log);
  assert.match(log, /payment_declined/);
  assert.equal(await balance(bearer), '0.00');
});

test('the stock validator finds nothing to say about the purchase', async () => {
  const { stdout, log } = await run('validate', shop.url, '-e', 'POST:/plans/credit/purchase', '-j');
  const [{ challenge, errorHandling, payment }] = JSON.parse(stdout).endpoints;
  assert.ok(
    payment.some(({ label }) => label === 'Payment [stripe]: successful'),
    log,
  );
  const complaints = [...challenge, ...errorHandling, ...payment].filter(
    ({ severity }) => severity !== 'pass',
  );
  assert.deepEqual(complaints, []);
});

test('a credential sent again gives the same answer and no second credit', async () => {
  const bearer = await register();
  const credential = await pay(bearer, '{}');
  const first = await buy(bearer, '{}', credential);
  assert.equal(first.status, 200);
  const receipt = Receipt.deserialize(first.headers.get('payment-receipt'));
  assert.equal(receipt.method, 'stripe');
  assert.match(receipt.reference, /^pi_/);
  const second = await buy(bearer, '{}', credential);
  assert.equal(second.status, 200);
  assert.equal(second.text, first.text);
  assert.equal(await balance(bearer), '0.50');
});

test('the stock command line, run again with the credential that it paid by, is answered and charges nothing', async () => {
  const first = await mppx('pm_card_visa');
  assert.equal(first.code, 0, first.log);
  const [, credential] = /^> Authorization: (Payment \S+)/m.exec(first.log) ?? [];
  const before = await charges();
  const again = await mppx('pm_card_visa', '-H', `Authorization: ${credential}`);
  assert.equal(again.code, 0, again.log);
  assert.equal(await charges(), before);
  // A repetition has the receipt alone: the tokens were in the first response.
  const { success, purchase, receipt, access_token } = JSON.parse(first.stdout);
  assert.deepEqual(JSON.parse(again.stdout), { success, purchase, receipt });
  assert.equal(await balance(access_token), '0.50');
});

test('ten uses of one credential at once make one purchase, and none of them is asked to pay again', async () => {
  const bearer = await register();
  const credential = await pay(bearer, '{}');
  const answers = await Promise.all(Array.from({ length: 10 }, () => buy(bearer, '{}', credential)));
  // 202 is the contract's answer while the first of them is still being settled.
  assert.deepEqual(
    answers.filter(({ status }) => status !== 200 && status !== 202).map(({ status }) => status),
    [],
  );
  const last = await buy(bearer, '{}', credential);
  assert.equal(last.status, 200);
  for (const { text } of answers.filter(({ status }) => status === 200)) assert.equal(text, last.text);
  assert.equal(await balance(bearer), '0.50');
});

test('a credential for one body does not pay for another', async () => {
  const bearer = await register();
  const credential = await pay(bearer, '{}');
  const other = await buy(bearer, '{"amount_usd":"5.00"}', credential);
  assert.equal(other.status, 402);
  assert.match(other.headers.get('www-authenticate') ?? '', /^Payment /);
  assert.match(JSON.parse(other.text).type, /^https:\/\/paymentauth\.org\/problems\//);
  assert.equal(await balance(bearer), '0.00');
});

test('a credential for one account does not pay for another', async () => {
  const [buyer, other] = [await register(), await register()];
  const credential = await pay(buyer, '{}');
  assert.equal((await buy(other, '{}', credential)).status, 402);
  assert.equal(await balance(other), '0.00');
});

function purchaseUrl() {
  return `${shop.url}/plans/credit/purchase`;
}

/** Has the published command line buy with `card`. */
function mppx(card, ...more) {
  return run('-vv', '-X', 'POST', '-J', '{}', '-M', `paymentMethod=${card}`, ...more, purchaseUrl());
}

/** Runs the published command line as it is: its answer is on stdout, its log on stderr. */
function run(...args) {
  const bin = join(import.meta.dirname, 'node_modules/mppx/dist/bin.js');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    MPPX_STRIPE_SECRET_KEY: 'sk_test_x',
    MPPX_STRIPE_SPT_URL: tokenUrl(),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env, timeout: cliMsMax }, (error, stdout, log) =>
      resolve({ code: error ? error.code : 0, stdout, log }),
    );
  });
}

function tokenUrl() {
  return `${shop.sandboxUrl}/v1/test_helpers/shared_payment/granted_tokens`;
}

/** How many payments have gone through at the card network, for anyone. */
async function charges() {
  const answer = await fetch(`${shop.sandboxUrl}/v1/payment_intents?limit=100`, {
    headers: { authorization: `Basic ${btoa('sk_test_x:')}` },
  });
  return (await answer.json()).data.filter(({ status }) => status === 'succeeded').length;
}

async function register() {
  const answer = await post(`${shop.url}/agent/auth`, '{"type":"anonymous"}');
  assert.equal(answer.status, 201, answer.text);
  return JSON.parse(answer.text).access_token;
}

async function balance(bearer) {
  const answer = await fetch(`${shop.url}/account`, { headers: { authorization: `Bearer ${bearer}` } });
  assert.equal(answer.status, 200);
  return (await answer.json()).balance_usd;
}

/** A credential of the mppx client library for the challenge that `body` meets. */
async function pay(bearer, body) {
  const offer = await post(purchaseUrl(), body, { authorization: `Bearer ${bearer}` });
  assert.equal(offer.status, 402, offer.text);
  const response = new Response(null, { status: 402, headers: offer.headers });
  assert.equal(Challenge.credentialHeader(Challenge.fromResponse(response)), 'Payment-Authorization');
  const client = Mppx.create({
    methods: [stripe.charge({ paymentMethod: 'pm_card_visa', createToken })],
    polyfill: false,
  });
  return client.createCredential(response);
}

async function createToken({ amount, currency, expiresAt, networkId, paymentMethod }) {
  const form = new URLSearchParams({
    payment_method: paymentMethod,
    'usage_limits[currency]': currency,
    'usage_limits[max_amount]': amount,
    'usage_limits[expires_at]': String(expiresAt),
    'seller_details[network_id]': networkId,
  });
  const answer = await fetch(tokenUrl(), {
    method: 'POST',
    body: form,
    headers: { authorization: `Basic ${btoa('sk_test_x:')}` },
  });
  assert.equal(answer.status, 200);
  return (await answer.json()).id;
}

function buy(bearer, body, credential) {
  return post(purchaseUrl(), body, {
    authorization: `Bearer ${bearer}`,
    'payment-authorization': credential,
  });
}

async function post(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
