import { expect, test } from 'vitest';
import { payment } from '../../src/http/console/pages/payment.ts';
import { timeline } from '../../src/http/console/pages/timeline.ts';
import { boughtMs, factsOf, orderOf, reversalOf, textOf, usd } from './console-fixtures.ts';

const minute = 60_000;
const shown = (...[order, more]: Parameters<typeof factsOf>) => textOf(payment(factsOf(order, more)));
const unpaid = { state: 'claimed', payment: null, grantedMs: null } as const;

test('a slow payment by bank is not described as a charge that the shop asks about', () => {
  const slow = shown(orderOf({ ...unpaid, checkoutSession: 'cs_1' }), { left: usd(0) });
  expect(slow).toContain('up to two weeks');
  expect(slow).not.toContain('every 20 seconds');
  expect(slow).toContain('Method Bank payment');
  expect(slow).toContain('Payment page cs_1');
  expect(shown(orderOf(unpaid), { left: usd(0) })).toContain('every 20 seconds');
});

test('a charge without an outcome says what holds it up, and what to look for at the processor', () => {
  const held = (isAtWork: boolean, reason: string | null) =>
    shown(orderOf(unpaid), { left: usd(0), holdup: { isAtWork, reason } });
  expect(held(true, null)).toContain('Being charged now.');
  expect(held(true, null)).not.toContain('for an hour');
  expect(held(false, null)).toContain('Waiting for the next check.');
  const unknown = held(false, 'Error: the processor has no payment of this order');
  expect(unknown).toContain('The processor knows no such payment.');
  expect(unknown).toContain('If it stays so for an hour, search for pur_1 at the processor.');
});

test('a refund that is not completed is not reported as done', () => {
  const pending = reversalOf({ amount: usd(2), status: 'pending' });
  const text = shown(orderOf(), { reversals: [pending], left: usd(3) });
  expect(text).toContain('refund pending');
  expect(text).toContain('Refund started −2.00 USD');
  expect(text).not.toContain('partly refunded');
  expect(text).not.toContain('Refunded');
});

test('the timeline of a payment that failed has a row for it, once', () => {
  const declined = orderOf({ ...unpaid, state: 'declined', failure: 'No.', claimedMs: boughtMs + minute });
  const row = /Payment failed 27 Nov 2026, 09:31 Purchase started/;
  expect(textOf(timeline(factsOf(declined)))).toMatch(row);
  const charge = {
    ...{ id: 'ch_1', payment: 'pi_1', succeeded: false, riskLevel: 'normal', riskScore: 5 },
    ...{ networkStatus: null, outcome: null, reason: null, createdMs: boughtMs + minute },
  };
  const text = textOf(timeline(factsOf(declined, { charges: [charge] })));
  expect(text).toContain('Card declined');
  expect(text).not.toContain('Payment failed');
});

test('a stablecoin payment has its fee, and no risk that no card had', () => {
  const fee = {
    ...{ id: 'txn_1', kind: 'charge' as const, currency: 'usd', tax: usd(0) },
    ...{ amount: usd(5), fee: usd(0.45), net: usd(4.55), atMs: boughtMs },
  };
  const charge = {
    ...{ id: 'ch_1', payment: 'pi_1', succeeded: true, riskLevel: 'normal', riskScore: 5 },
    ...{ networkStatus: null, outcome: null, reason: null, createdMs: boughtMs },
  };
  const text = shown(orderOf({ rail: 'x402' }), { fees: [fee], charges: [charge] });
  expect(text).toContain('Fee of the charge 0.45 USD');
  expect(text).not.toContain('risk normal');
  expect(shown(orderOf({ rail: 'x402' }))).not.toContain('Fee of the charge');
});

test('the effect of a refund names what was removed: credit, results, and the plan', () => {
  const lot = { asset: 'unit' as const, remaining: 0, clawbackDue: 0, unspent: usd(0), entries: [] };
  const back = { reversals: [reversalOf({})], left: usd(0) };
  expect(shown(orderOf(), back)).toContain('credit removed');
  expect(shown(orderOf(), { ...back, lot })).toContain('results removed');
  const ended = shown(orderOf(), { ...back, lot, planEndedMs: boughtMs + 2 * minute });
  expect(ended).toContain('results removed, plan ended');
  expect(ended).toContain('Plan ended 27 Nov 2026, 09:32');
});

test('a purchase names the card that paid by its brand, last digits and country', () => {
  const card = { brand: 'visa', last4: '4242', country: 'US' };
  expect(shown(orderOf(), { card })).toContain('Method Card, Visa ending in 4242, US ');
  expect(shown(orderOf(), { card: { ...card, country: null } })).toContain(
    'Method Card, Visa ending in 4242 ',
  );
  expect(shown(orderOf())).toContain('Method Card ');
});

test('a refund by hand says where to send which coin, and of which payment', () => {
  const signedPayment = {
    ...{ version: 2 as const, network: 'eip155:8453', asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
    ...{ from: `0x${'12'.repeat(20)}`, to: `0x${'34'.repeat(20)}`, value: '5000000', validAfter: '0' },
    ...{
      validBefore: '1',
      nonce: '0x',
      maxTimeoutSeconds: 60,
      signature: '0x',
      resource: { url: '' } as never,
    },
  };
  const coin = { rail: 'x402', transaction: `0x${'ab'.repeat(32)}`, signedPayment } as const;
  const text = shown(orderOf(coin));
  expect(text).toContain(`Send to ${signedPayment.from}`);
  expect(text).toContain('Coin USDC on Base');
  expect(text).toContain(`Paid in transaction ${coin.transaction}`);
  expect(text).toContain('You sent (USDC), up to 5.00');
  const other = { ...signedPayment, asset: `0x${'99'.repeat(20)}` };
  expect(shown(orderOf({ ...coin, signedPayment: other }))).toContain(`Coin token ${other.asset} on Base`);
  const unknown = shown(orderOf({ ...coin, signedPayment: null }));
  expect(unknown).toContain('The address that paid is not known. Ask the buyer for an address');
});
