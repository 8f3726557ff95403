import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Facilitator from '../../src/adapters/facilitator.ts';
import type * as FacilitatorKey from '../../src/adapters/facilitator-key.ts';
import * as ExactEvm from '../../src/payment/x402/exact-evm.ts';
import type { Facilitator as Settler } from '../../src/payment/x402/facilitator.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as Payload from '../../src/payment/x402/payload.ts';
import * as Requirement from '../../src/payment/x402/requirement.ts';
import * as Resource from '../../src/payment/x402/resource.ts';
import * as Double from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import { freePort } from '../support/program.ts';

const settleTimeoutMs = 400;
const requirement: Requirement.Requirement = {
  network: Network.baseSepolia,
  amount: 500_000n,
  payTo: '0x00000000000000000000000000000000000000aa',
  maxTimeoutSeconds: 120,
};
const resource = Resource.describeResource({
  url: 'https://shop.example/plans/credit/purchase',
  description: 'Credit',
  serviceName: 'Shop',
});
const wallet = Payer.payer();

let double: Double.FacilitatorDouble;
let facilitator: Settler;
beforeAll(async () => {
  double = await Double.open();
  facilitator = Facilitator.openFacilitator({ url: double.url, settleTimeoutMs });
});
beforeEach(() => double.setMood('honest'));
afterAll(async () => {
  await facilitator?.close();
  await double?.close();
});

/** Returns a payment that was verified locally. */
async function paid(version: 1 | 2 = 2): Promise<ExactEvm.CheckedPayment> {
  const nowMs = Date.now();
  const offered = Requirement.toJson(requirement) as unknown as Payer.Requirement;
  const reading =
    version === 2
      ? Payload.read({
          paymentSignature: [Payer.base64(await Payer.pay2(wallet, offered, { nowMs }))],
          xPayment: [],
        })
      : Payload.read({
          paymentSignature: [],
          xPayment: [Payer.base64(await Payer.pay1(wallet, offered, { nowMs }))],
        });
  if (reading.kind !== 'payload') throw new Error(reading.kind);
  const checked = ExactEvm.check(reading, { resourceUrl: resource.url, requirements: [requirement] }, nowMs);
  if (typeof checked === 'string' || !ExactEvm.isSigned(checked)) throw new Error(String(checked));
  return checked;
}

test.each([1, 2] as const)('a payment of version %i is settled, for what it says', async (version) => {
  const payment = await paid(version);
  const settlement = await facilitator.settle(payment, resource);
  const last = double.settled.at(-1);
  expect(settlement).toEqual({ kind: 'succeeded', transaction: last?.transaction });
  expect(last).toMatchObject({
    x402Version: version,
    from: wallet.address.toLowerCase(),
    to: requirement.payTo,
    value: requirement.amount,
    nonce: payment.payload.authorization.nonce,
  });
});

test('asked twice, it moves the money once, and the second answer is no certainty', async () => {
  const payment = await paid();
  const before = double.settled.length;
  expect((await facilitator.settle(payment, resource)).kind).toBe('succeeded');
  expect((await facilitator.settle(payment, resource)).kind).toBe('unknown');
  expect(double.settled).toHaveLength(before + 1);
});

test.each([
  ['poor', 'insufficient_funds'],
  ['expired', 'expired'],
] as const)('a facilitator that refuses for certain (%s) is believed', async (mood, reason) => {
  double.setMood(mood);
  expect(await facilitator.settle(await paid(), resource)).toEqual({ kind: 'failed', reason });
});

test.each([
  'settled_silent',
  'settled_cut',
  'settled_unexpected',
  'stuck',
  'redirecting',
  'broken',
  'endless',
  'not_json',
  'other_payer',
  'other_network',
  'other_amount',
  'no_transaction',
] as const)('of one that is %s nobody knows, within the time', async (mood) => {
  double.setMood(mood);
  const [asked, startedMs] = [double.asked(), performance.now()];
  const settlement = await facilitator.settle(await paid(), resource);
  expect(settlement.kind).toBe('unknown');
  expect(JSON.stringify(settlement)).not.toMatch(/evil|10\.0\.0\.1|html/);
  expect(performance.now() - startedMs).toBeLessThan(settleTimeoutMs + 5_000);
  expect(double.asked()).toBe(asked + 1);
});

test('an answer without end is read to its limit, not to the end of the time', async () => {
  double.setMood('endless');
  const patient = Facilitator.openFacilitator({ url: double.url });
  const startedMs = performance.now();
  expect((await patient.settle(await paid(), resource)).kind).toBe('unknown');
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  await patient.close();
});

test('of one that is not there nothing was settled, which passes', async () => {
  const gone = Facilitator.openFacilitator({ url: `http://127.0.0.1:${await freePort()}` });
  expect(await gone.settle(await paid(), resource)).toMatchObject({ kind: 'unavailable', refused: false });
  await gone.close();
});

test.each(['unauthorized', 'forbidden', 'wrong_network'] as const)(
  'one that does not serve this shop (%s) is no fault of the buyer',
  async (mood) => {
    double.setMood(mood);
    expect(await facilitator.settle(await paid(), resource)).toMatchObject({
      kind: 'unavailable',
      refused: true,
    });
  },
);

describe('the key of a facilitator', () => {
  const keyId = 'organizations/1/apiKeys/2';

  /** Returns the credentials that the facilitator receives for a key. */
  async function sent(key: FacilitatorKey.Key): Promise<string> {
    const keyed = Facilitator.openFacilitator({ url: `${double.url}/`, key });
    await keyed.settle(await paid(), resource);
    await keyed.close();
    return double.authorization();
  }

  test('is sent as a plain bearer token, and nothing where there is none', async () => {
    expect(await sent({ kind: 'bearer', token: 'fac_1' })).toBe('Bearer fac_1');
    expect(await sent({ kind: 'none' })).toBe('');
  });

  test.each(['Ed25519', 'ES256'] as const)('of Coinbase signs each request by a JWT (%s)', async (form) => {
    const { publicKey, privateKey } =
      form === 'Ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = privateKey.export({ format: 'jwk' });
    const secret =
      form === 'Ed25519'
        ? Buffer.concat([jwk.d, jwk.x].map((part) => Buffer.from(part ?? '', 'base64url'))).toString('base64')
        : privateKey.export({ type: 'sec1', format: 'pem' }).toString().replaceAll('\n', '\\n');
    const authorization = await sent({ kind: 'cdp', keyId, secret });
    const jwt = authorization.replace('Bearer ', '');
    const { payload, protectedHeader } = await jwtVerify(jwt, publicKey, {
      issuer: 'cdp',
      audience: 'cdp_service',
    });
    expect(payload).toMatchObject({ sub: keyId, uris: [`POST ${new URL(double.url).host}/settle`] });
    expect(Number(payload.exp) - Number(payload.nbf)).toBe(120);
    expect(protectedHeader).toMatchObject({
      kid: keyId,
      typ: 'JWT',
      alg: form === 'Ed25519' ? 'EdDSA' : 'ES256',
    });
    expect(protectedHeader.nonce).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each(['', 'not a key', Buffer.alloc(32).toString('base64'), '-----BEGIN EC PRIVATE KEY-----\nAA=='])(
    'of another form is refused before it is needed, and not repeated',
    (secret) => {
      const open = () =>
        Facilitator.openFacilitator({ url: double.url, key: { kind: 'cdp', keyId, secret } });
      expect(open).toThrow(TypeError);
      expect(open).not.toThrow(/AA==|not a key/);
    },
  );
});

test('money goes to https addresses only, or to this machine', () => {
  for (const url of [
    'http://facilitator.example',
    'http://127.0.0.1.evil.example',
    'ftp://127.0.0.1',
    'https://user:secret@facilitator.example',
    'https://facilitator.example/?key=1',
    'facilitator.example',
  ])
    expect(() => Facilitator.openFacilitator({ url }), url).toThrow(TypeError);
  for (const url of ['https://facilitator.example/x402/', 'http://localhost:4100', 'http://[::1]:4100'])
    expect(() => Facilitator.openFacilitator({ url }), url).not.toThrow();
});
