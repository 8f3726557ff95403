import { expect, test } from 'vitest';
import * as PurchaseRequest from '../../src/catalog/purchase-offer.ts';
import { shop } from './todo.ts';

const [, credit, start] = shop().plans;
if (credit?.kind !== 'credit' || start?.kind !== 'subscription') throw new Error('the shop has other plans');

test('credit is bought for its least amount', () => {
  expect(PurchaseRequest.offer(credit, 'https://shop.example')).toEqual({
    id: 'credit',
    name: 'Credit',
    kind: 'credit',
    price_usd: '5.00',
    included: null,
    purchase: {
      method: 'POST',
      url: 'https://shop.example/plans/credit/purchase',
      headers: { 'content-type': 'application/json' },
      body: { amount_usd: '5.00' },
    },
  });
});

test('a subscription is bought by its name alone', () => {
  expect(PurchaseRequest.offer(start, 'https://shop.example')).toEqual({
    id: 'start',
    name: 'Start',
    kind: 'subscription',
    price_usd: '99.00',
    included: 200_000,
    purchase: PurchaseRequest.how(start, 'https://shop.example'),
  });
  expect(PurchaseRequest.how(start, 'https://shop.example').body).toEqual({});
});
