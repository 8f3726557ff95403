import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentDigest } from '@sluice/kernel/digest';
import * as Money from '@sluice/kernel/money';
import { Challenge as TheirChallenge, Credential as TheirCredential, Receipt as TheirReceipt } from 'mppx';
import { Mppx, stripe } from 'mppx/client';
import * as AcceptPayment from '../../src/payment/accept-payment.ts';
import * as Challenge from '../../src/payment/challenge.ts';
import * as Credential from '../../src/payment/credential.ts';
import * as Receipt from '../../src/payment/receipt.ts';
import * as StripeCharge from '../../src/payment/stripe-charge.ts';

const now = Date.now();
const secrets = { current: 'a secret of more than thirty-two bytes' };
const terms = {
  realm: 'shop.example.com',
  method: StripeCharge.method,
  intent: StripeCharge.intent,
  request: StripeCharge.request(Money.ofCents(50), {
    networkId: 'profile_1',
    paymentMethodTypes: ['card', 'link'],
  }),
  expiresAtMs: now + 300_000,
  opaque: { order: 'ord_1', plan: 'credit', account: 'acc_1' },
  digest: contentDigest('{}'),
};
const alternate = { ...terms, header: Challenge.alternateField };
const variants = [terms, alternate, { ...terms, description: 'Credit, "prepaid" \\ é' }];

test('mppx reads our challenge into the fields that we sent', () => {
  for (const variant of variants) {
    const ours = Challenge.issue(variant, secrets);
    const { request, ...others } = ours;
    assert.deepEqual(TheirChallenge.deserialize(Challenge.serialize(ours)), {
      ...others,
      request: variant.request,
    });
    assert.equal(Buffer.from(request, 'base64url').toString(), canonical);
  }
});

const canonical =
  '{"amount":"50","currency":"usd","methodDetails":{"networkId":"profile_1","paymentMethodTypes":["card","link"]}}';

test('mppx finds every challenge of a 402 that also names another scheme', () => {
  const headers = new Headers();
  for (const variant of variants)
    headers.append('www-authenticate', Challenge.serialize(Challenge.issue(variant, secrets)));
  headers.append('www-authenticate', 'Bearer resource_metadata="https://shop.example.com/, Payment x"');
  const found = TheirChallenge.fromResponseList(new Response(null, { status: 402, headers }));
  assert.deepEqual(
    found.map(({ id }) => id),
    variants.map((variant) => Challenge.issue(variant, secrets).id),
  );
});

test('mppx computes the same id from the same secret', () => {
  const ours = Challenge.issue(terms, secrets);
  const theirs = TheirChallenge.deserialize(Challenge.serialize(ours));
  assert.equal(TheirChallenge.verify(theirs, { secretKey: secrets.current }), true);
  assert.equal(TheirChallenge.verify({ ...theirs, realm: 'x' }, { secretKey: secrets.current }), false);
});

test('we know our challenge again in a credential of mppx, however the request is spelled', () => {
  const awkward = {
    z: 1e21,
    a: [0.1, null, true],
    ü: '\u{1f600}\u2028"\\/',
    A: { b: '', '': -0 },
    10: 1,
    9: 2,
  };
  for (const variant of [...variants, { ...terms, request: awkward }]) {
    const challenge = TheirChallenge.deserialize(Challenge.serialize(Challenge.issue(variant, secrets)));
    const line = TheirCredential.serialize({
      challenge,
      payload: { spt: 'spt_1' },
      source: 'did:pkh:eip155:1:0xab',
    });
    const reading = Credential.read(
      variant.header === undefined
        ? { authorization: ['Bearer x', line], paymentAuthorization: [] }
        : { authorization: ['Bearer x'], paymentAuthorization: [line] },
    );
    assert.equal(reading.kind, 'credential');
    assert.equal(reading.source, 'did:pkh:eip155:1:0xab');
    assert.equal(StripeCharge.token(reading.payload), 'spt_1');
    const verdict = Challenge.verify(reading.challenge, secrets, now);
    assert.equal(verdict.kind, 'ok');
    assert.equal(Challenge.matchesOffer(verdict.terms, variant), true);
    assert.equal(Challenge.matchesBody(verdict.terms, '{}'), true);
    assert.equal(Challenge.matchesBody(verdict.terms, '{ }'), false);
  }
});

test('a client that changes the amount is found out', () => {
  const challenge = TheirChallenge.deserialize(Challenge.serialize(Challenge.issue(terms, secrets)));
  const cheaper = { ...challenge, request: { ...challenge.request, amount: '1' } };
  const line = TheirCredential.serialize({ challenge: cheaper, payload: { spt: 'spt_1' } });
  const reading = Credential.read({ authorization: [line], paymentAuthorization: [] });
  assert.equal(reading.kind, 'credential');
  assert.equal(Challenge.verify(reading.challenge, secrets, now).kind, 'unknown');
});

test('mppx reads our receipt, the challenge it settles included', () => {
  const value = Receipt.serialize({
    method: 'stripe',
    reference: 'pi_1',
    challengeId: 'id_1',
    settledAtMs: now,
  });
  assert.deepEqual(TheirReceipt.deserialize(value), {
    status: 'success',
    method: 'stripe',
    reference: 'pi_1',
    challengeId: 'id_1',
    timestamp: new Date(now).toISOString(),
  });
});

test('the mppx client pays in the field that the challenge names and leaves the bearer token where it was', async () => {
  const sent = await pay(alternate, { authorization: 'Bearer x' });
  assert.equal(sent.get('authorization'), 'Bearer x');
  assert.match(sent.get('payment-authorization') ?? '', /^Payment /);
});

test('without that field the mppx client overwrites the bearer token', async () => {
  const sent = await pay(terms, { authorization: 'Bearer x' });
  assert.match(sent.get('authorization') ?? '', /^Payment /);
  assert.equal(sent.get('payment-authorization'), null);
});

test('what the mppx client accepts is what we offer', async () => {
  const sent = await pay(terms, {});
  assert.deepEqual(
    AcceptPayment.rank([{ method: 'tempo', intent: 'charge' }, terms], sent.get('accept-payment')),
    [terms],
  );
});

/** The headers of the paying request that the stock client makes after our challenge for `offered`. */
async function pay(offered, headers) {
  const requests = [];
  const answers = [
    new Response(null, {
      status: 402,
      headers: { 'www-authenticate': Challenge.serialize(Challenge.issue(offered, secrets)) },
    }),
    new Response('{}'),
  ];
  const client = Mppx.create({
    methods: [stripe.charge({ paymentMethod: 'pm_card_visa', createToken: async () => 'spt_1' })],
    polyfill: false,
    fetch: async (_url, init) => {
      requests.push(new Headers(init.headers));
      return answers.shift();
    },
  });
  await client.fetch('https://shop.example.com/plans/credit/purchase', {
    method: 'POST',
    body: '{}',
    headers,
  });
  assert.equal(requests.length, 2);
  return requests[1];
}
