import fc from 'fast-check';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const monthMs = 31 * dayMs;
const cardRoutes = [
  'POST /v1/payment_intents',
  'POST /v1/checkout/sessions',
  'GET /v1/checkout/sessions/:id',
  'GET /v1/payment_intents/:id',
  'GET /v1/invoices/:id',
  'POST /v1/subscriptions/:id',
];

const at = fc.nat({ max: 1 });
/** Counted from the newest, so that recent offers and payments are chosen most often. */
const which = fc.constantFrom(0, 0, 0, 1, 1, 2, 3);
const period = fc.constantFrom('mini', 'small', 'large');
const returnUrl = fc.constantFrom(null, null, 'https://buyer.test/back');

const weighted = [
  {
    does: 'buy',
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('buy' as const),
      at,
      plan: fc.constantFrom('credit', 'mini', 'small'),
      cents: fc.constantFrom(50, 100, 400),
      how: fc.constantFrom('offer', 'token', 'page', 'both', 'coin'),
      returnUrl,
    }),
  },
  {
    does: 'upgrade',
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('upgrade' as const),
      at,
      step: fc.constantFrom(
        ['small', 'mini'] as const,
        ['large', 'small'] as const,
        ['large', 'mini'] as const,
        ['small', 'small'] as const,
      ),
      how: fc.constantFrom('offer', 'token', 'token', 'both'),
      /** Units that are used between the offer and its payment. */
      between: fc.constantFrom(0, 0, 30, 50),
    }),
  },
  {
    does: 'subscribe',
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('subscribe' as const),
      at,
      plan: fc.constantFrom('mini', 'small', 'large'),
      /** Number of pages of the plan that are opened before all of them are paid. */
      pages: fc.constantFrom(1, 1, 2),
    }),
  },
  {
    does: 'change',
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      at,
      step: fc.constantFrom(
        ['mini', 'small'] as const,
        ['mini', 'large'] as const,
        ['small', 'large'] as const,
        ['small', 'mini'] as const,
        ['large', 'small'] as const,
        ['large', 'large'] as const,
      ),
      /** Units that are used while the card network processes the request: more than a trial has. */
      meanwhile: fc.constantFrom(0, 0, 50, 100),
      fault: fc.constantFrom(null, null, '500_before', 'cut_after', 'lock_timeout', 'delay_before'),
    }),
  },
  {
    does: 'cancel',
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('cancel' as const), at, plan: period }),
  },
  {
    does: 'resume',
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('resume' as const), at, plan: period }),
  },
  {
    does: 'pay',
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('pay' as const),
      at,
      which,
      card: fc.constantFrom('pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined'),
    }),
  },
  {
    does: 'page',
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('page' as const),
      which,
      how: fc.constantFrom('card' as const, 'card' as const, 'slow' as const, 'declined' as const),
      comesBack: fc.boolean(),
    }),
  },
  {
    does: 'use',
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('use' as const), at, units: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    does: 'reverse',
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('reverse' as const),
      kind: fc.constantFrom('refund' as const, 'dispute' as const),
      which,
      percent: fc.constantFrom(10, 50, 100, 100),
    }),
  },
  {
    does: 'decide dispute',
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('decide dispute' as const), isWon: fc.boolean() }),
  },
  { does: 'lose card', weight: 1, arbitrary: fc.record({ does: fc.constant('lose card' as const) }) },
  {
    does: 'top up',
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('top up' as const),
      at,
      amountUsd: fc.constantFrom(1, 5),
      isAgreed: fc.boolean(),
    }),
  },
  { does: 'join', weight: 1, arbitrary: fc.record({ does: fc.constant('join' as const) }) },
  { does: 'chores', weight: 2, arbitrary: fc.record({ does: fc.constant('chores' as const), at }) },
] as const;
export type Act = (typeof weighted)[number]['arbitrary'] extends fc.Arbitrary<infer T> ? T : never;
export type Does = Act['does'];

/** A fault of the card network or its webhook events during one step. */
const trouble = fc.oneof(
  { weight: 8, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      route: fc.constantFrom(...cardRoutes),
      fault: fc.constantFrom('500_before', '500_after', 'cut_after'),
      times: fc.constantFrom(1, 3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('pause', 'resume', 'deliver-in-reverse', 'deliver-shuffled', 'duplicate', 'drop'),
    }),
  },
);
export type Trouble = typeof trouble extends fc.Arbitrary<infer T> ? T : never;

const passes = fc.oneof(
  { weight: 2, arbitrary: fc.constant<number[]>([]) },
  {
    weight: 3,
    arbitrary: fc.array(
      fc.constantFrom(0, 0, 0, 6 * minuteMs, 25 * minuteMs, dayMs, 4 * dayMs, monthMs, monthMs),
      { minLength: 4, maxLength: 9 },
    ),
  },
);

/** Returns the number of concurrent buyers. One of them waits half of the time; a flaw is found sooner with fewer of them. */
export function besideFor(only: readonly Does[] | null): number {
  return only === null ? 24 : 12;
}
/** @param only the actions that buyers are limited to; then the card network has no faults */
export function batchOf(only: readonly Does[] | null) {
  const acts = only === null ? weighted : weighted.filter(({ does }) => only.includes(does));
  const beside = besideFor(only);
  const act = fc.oneof(...(acts as readonly { weight: number; arbitrary: fc.Arbitrary<Act> }[]));
  const step = fc.record({ acts: fc.array(act, { minLength: 1, maxLength: 2 }) });
  return fc.record({
    seed: fc.nat(),
    buyers: fc.array(
      fc.record({
        isAnonymous: fc.constantFrom(true, false, false),
        steps: fc.array(step, { minLength: 3, maxLength: 8 }),
      }),
      { minLength: beside, maxLength: beside },
    ),
    troubles: fc.array(only === null ? trouble : fc.constant(null), { minLength: 8, maxLength: 8 }),
    passes,
  });
}
export type Batch = ReturnType<typeof batchOf> extends fc.Arbitrary<infer T> ? T : never;
