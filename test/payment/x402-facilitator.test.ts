import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Facilitator from '../../src/adapters/facilitator.ts';
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
const resource = Resource.of({
  url: 'https://shop.example/plans/credit/purchase',
  description: 'Credit',
  serviceName: 'Shop',
});
const wallet = Payer.payer();

let double: Double.FacilitatorDouble;
let facilitator: Settler;
beforeAll(async () => {
  double = await Double.open();
  facilitator = Facilitator.open({ url: double.url, settleTimeoutMs });
});
beforeEach(() => double.setMood('honest'));
afterAll(async () => {
  await facilitator?.close();
  await double?.close();
});

/** A payment that was verified here. */
async function paid(version: 1 | 2 = 2): Promise<ExactEvm.Checked> {
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
  expect(performance.now() - startedMs).toBeLessThan(settleTimeoutMs + 1_000);
  expect(double.asked()).toBe(asked + 1);
});

test('an answer without end is read to its limit, not to the end of the time', async () => {
  double.setMood('endless');
  const patient = Facilitator.open({ url: double.url });
  const startedMs = performance.now();
  expect((await patient.settle(await paid(), resource)).kind).toBe('unknown');
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  await patient.close();
});

test('of one that is not there nothing was settled', async () => {
  const gone = Facilitator.open({ url: `http://127.0.0.1:${await freePort()}` });
  expect(await gone.settle(await paid(), resource)).toEqual({ kind: 'failed', reason: 'unreachable' });
  await gone.close();
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
    expect(() => Facilitator.open({ url }), url).toThrow(TypeError);
  for (const url of ['https://facilitator.example/x402/', 'http://localhost:4100', 'http://[::1]:4100'])
    expect(() => Facilitator.open({ url }), url).not.toThrow();
});
