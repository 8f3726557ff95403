import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import type { Order } from '../../src/payment/order.ts';
import { judge, judgeReversal } from '../support/value-judge.ts';
import { fates } from './fake-processor.ts';
import { type Buyer, dearestUnit, type Offer } from './plan-world.ts';

const at = fc.nat({ max: 1 });
/** Counted from the newest, so that recent offers and payments are chosen most often. */
const which = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 5);
/** Lots in which one reversal may round: that of a period and of those that replaced it. */
const reversalSteps = 3;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Delays of a purchase beyond its challenge, its page, and the deletion of unused offers. */
const laterMs = [6 * minuteMs, 25 * minuteMs, dayMs, 4 * dayMs];

const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('offer' as const),
      plan: fc.constantFrom('mini', 'small', 'usage', 'large', 'credit'),
      replaces: fc.constantFrom(null, 'mini', 'small', 'usage', 'large'),
    }),
  },
  // A more expensive plan replaces one that may be active, paid at once or later.
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('upgrade' as const),
      at,
      step: fc.constantFrom(
        ['small', 'mini'] as const,
        ['large', 'small'] as const,
        ['large', 'mini'] as const,
        ['usage', 'small'] as const,
        ['large', 'usage'] as const,
      ),
      isPaid: fc.boolean(),
      /** Units that are used between the offer and its payment. */
      between: fc.constantFrom(0, 0, 20, 35, 50),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('buy' as const),
      plan: fc.constantFrom('mini', 'small', 'usage'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('pay' as const),
      at,
      which,
      fate: fc.constantFrom('taken', 'taken', 'taken', ...fates.filter((fate) => !fate.endsWith('killed'))),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('open page' as const), at, which }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('pay page' as const), which, slowly: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pay late' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('settle' as const), which, arrives: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('use' as const), at, units: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('reverse' as const),
      kind: fc.constantFrom('refund' as const, 'dispute' as const),
      which,
      percent: fc.constantFrom(10, 50, 100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('win' as const), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('notices' as const), at }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reconcile' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.constantFrom(...laterMs) }),
  },
);
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** The acts of a buyer; those of an inner list happen at the same time. */
export const history = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 14,
});

/** Runs a history, waits until everything is at rest, and returns all breaches that the judge finds. */
export async function live(buyer: Buyer, steps: readonly (readonly Act[])[]): Promise<string[]> {
  const offers: Offer[] = [];
  const orders = new Map<string, Order>();
  const disputes: string[] = [];
  const found: string[] = [];
  const rounding = { unitPrice: dearestUnit, steps: steps.flat().length + 2 };
  for (const step of steps) {
    if (step.length === 1 && step[0]?.does === 'reverse') found.push(...(await reverseAlone(step[0])));
    else await Promise.all(step.map(perform));
  }
  const account = await buyer.rest();
  return [...found, ...judge(account, rounding)];

  async function perform(one: Act): Promise<void> {
    const { processor } = buyer;
    const offer = 'which' in one ? nth(offers, one.which) : undefined;
    switch (one.does) {
      case 'offer':
        await ask(one.plan, one.plan === 'credit' ? null : one.replaces);
        return;
      case 'buy':
      case 'upgrade': {
        const made = one.does === 'buy' ? await ask(one.plan, null) : await ask(one.step[0], one.step[1]);
        if (one.does === 'upgrade' && !one.isPaid) return;
        if (one.does === 'upgrade' && one.between > 0) await buyer.use(one.at, one.between);
        processor.fate = 'taken';
        await made?.pay(one.does === 'buy' ? 0 : one.at, 'spt_1');
        return;
      }
      case 'pay':
        processor.fate = one.fate;
        await offer?.pay(one.at, 'spt_1');
        return;
      case 'open page':
        if (offer) await buyer.openPage(one.at, offer.order);
        return;
      case 'pay page':
        if (offer) await buyer.payPage(offer.order, one.slowly);
        return;
      case 'pay late': {
        // Such a payment is never requested by the shop: its rules for it are the last line of defence.
        const order = offer && orders.get(offer.order);
        if (order && (await buyer.find(order.id))?.state === 'granted') processor.payLate(order);
        return;
      }
      case 'settle':
        if (offer) processor.settle(offer.order, one.arrives ? 'succeeded' : 'failed');
        return;
      case 'use':
        return buyer.use(one.at, one.units);
      case 'reverse':
        reverse(one);
        return;
      case 'win': {
        const dispute = nth(disputes, one.which);
        if (dispute) processor.turn(dispute, 'won', false);
        return;
      }
      case 'notices':
        return buyer.notices(one.at);
      case 'reconcile':
        return buyer.reconcile(one.at);
      case 'pass':
        buyer.pass(one.ms);
    }
  }

  async function ask(plan: string, replaces: string | null): Promise<Offer | null> {
    const made = await buyer.offer(plan, replaces);
    const order = made && (await buyer.find(made.order));
    if (!made || !order) return null;
    offers.push(made);
    orders.set(made.order, order);
    return made;
  }

  function reverse({ kind, which: place, percent }: Extract<Act, { does: 'reverse' }>): number {
    const payment = nth(buyer.processor.taken, place);
    if (!payment) return 0;
    const cents = Math.floor((payment.received * percent) / 100 / 10_000);
    const amount = Money.ofCents(Math.max(1, cents));
    const made = buyer.processor.goBack(
      kind,
      payment.id,
      amount,
      kind === 'refund' ? 'succeeded' : 'lost',
      true,
    );
    if (kind === 'dispute') disputes.push(made.id);
    return amount;
  }

  /** Reverses a payment after all earlier events were processed, so that nothing else changes the balance. */
  async function reverseAlone(one: Extract<Act, { does: 'reverse' }>): Promise<string[]> {
    await buyer.notices(0);
    const before = await buyer.holdings();
    const amount = reverse(one);
    await buyer.notices(1);
    return judgeReversal(before, await buyer.holdings(), amount, { ...rounding, steps: reversalSteps });
  }
}

function nth<T>(all: readonly T[], fromLast: number): T | undefined {
  return all[all.length - 1 - (fromLast % Math.max(1, all.length))];
}
