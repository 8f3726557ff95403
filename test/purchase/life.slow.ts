import type Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Comparison } from '../../src/journeys/reconciliation-report.ts';
import { Life } from './life.ts';

/** `npm run life -- --purchases N --seed S` */
const purchases = Number(process.env.LIFE_PURCHASES ?? 100);
const seed = Number(process.env.LIFE_SEED ?? 1);
const eachMs = 1_500;

let life: Life;
beforeAll(async () => {
  life = await Life.begin(seed);
});
afterAll(() => life?.end());

test(
  `after ${purchases} purchases and two months of misfortune both sides agree, and nobody was charged twice (seed ${seed})`,
  async () => {
    await life.trade(purchases);
    await life.settle();
    // The month comes last, because orders in doubt are resolved by the shop's own clock.
    await life.month();
    await life.settle();
    await life.month();
    await life.settle();

    const mended = (await life.command('reconcile', '--repair')).printed as Comparison;
    expect(mended.differences.filter(({ state }) => state !== 'repaired')).toEqual([]);
    const { code, printed } = await life.command('reconcile');
    const after = printed as Comparison;
    expect(after.differences).toEqual([]);
    expect(code).toBe(0);
    expect(after.taken.books).toBe(after.taken.processor);
    expect(after.reversed.books).toBe(after.reversed.processor);
    const proof = (await life.command('ledger', 'verify')).printed as {
      holds: boolean;
      breaches: unknown[];
    };
    expect(proof.breaches).toEqual([]);

    const paid: Stripe.PaymentIntent[] = [];
    for await (const payment of life.network.stripe.paymentIntents.list({ limit: 100 }))
      if (payment.status === 'succeeded') paid.push(payment);
    const named = paid.flatMap(({ metadata }) => metadata.order ?? []);
    expect(named.length).toBe(new Set(named).size);
    const bought = await life.shop.sql<
      { payment: string }[]
    >`SELECT payment FROM shop.purchase WHERE state = 'granted' AND amount > 0`;
    expect(new Set(bought.map(({ payment }) => payment))).toEqual(new Set(paid.map(({ id }) => id)));

    const renewals = await life.shop.sql<
      { rail: string; count: number }[]
    >`SELECT rail, count(*)::integer AS count FROM shop.purchase WHERE state = 'granted' GROUP BY rail ORDER BY rail`;
    const told = {
      ...life.counts,
      payments: after.payments,
      mended: mended.differences.length,
      ...Object.fromEntries(renewals.map(({ rail, count }) => [`granted by ${rail}`, count])),
    };
    process.stdout.write(
      Object.entries(told)
        .map(([what, count]) => `${String(count).padStart(7)} ${what}\n`)
        .join(''),
    );
    // Without these events the run would prove little.
    for (const what of [
      'bought by token',
      'bought on a page',
      'subscribed',
      'refunds',
      'disputes',
      'storefronts killed',
      'granted by invoice',
      'notices lost',
    ])
      expect(told[what as keyof typeof told], what).toBeGreaterThan(0);
  },
  600_000 + purchases * eachMs,
);
