import * as Money from '@sluice/kernel/money';
import { replacing } from '../support/sql-flaw.ts';
import type { Does } from './shop-acts.ts';
import type { Flaw } from './shop-world.ts';

/** A flaw of the shop: its number in the review of payments, the actions that reveal it, and the judge's report. */
export type Planted = [point: number, what: string, only: readonly Does[], says: RegExp, flaw: Flaw];

/**
 * Flaws that the shop had, or would have without one of its rules; each is found within one or two batches. Points 2 and 5, and units
 * that are used while a plan is changed, need rarer histories, which value.long.ts has. Point 8 is in shop-value.slow.ts. docs/payments.md
 * lists all of them.
 */
export const planted: readonly Planted[] = [
  [
    1,
    'a second payment buys the whole period, whatever it paid',
    ['buy', 'upgrade'],
    / paid and /,
    {
      sql: [
        replacing(
          'shop.replace_period',
          "v_own := least((p_order.terms ->> 'units')::bigint, shop.units_for(p_order.terms, p_order.amount))",
          "v_own := CASE WHEN p_order.terms ? 'replaces' THEN least((p_order.terms ->> 'units')::bigint, shop.units_for(p_order.terms, p_order.amount)) ELSE (p_order.terms ->> 'units')::bigint END",
        ),
      ],
      // The page stays open while its order is charged in another way.
      meddle: ({ processor }) => ({
        processor: {
          ...processor,
          closeCheckout: (session) => processor.readCheckout(session).then(asClosed),
        },
      }),
    },
  ],
  [
    3,
    'a page with a slow payment is let go, and its order forgotten',
    ['buy', 'page'],
    / bought nothing/,
    {
      sql: [
        replacing(
          'shop.claim_by_page',
          "SET page_read_at = clock_timestamp(), state = CASE state WHEN 'granted' THEN state ELSE 'claimed' END",
          'SET checkout_session = NULL, state = state',
        ),
      ],
    },
  ],
  [
    4,
    'the credit of a change is an invoice item of its own, which stays when the change fails',
    ['subscribe', 'change'],
    /receive[sd] .* paid/,
    {
      meddle: ({ processor }, { stripe }) => ({
        processor: {
          ...processor,
          async changePlan(id, change, plan) {
            if (change.replaces !== null) {
              const { customer } = await stripe.subscriptions.retrieve(id);
              const amount = -Math.floor(change.replaces.credit / 10_000);
              await stripe.invoiceItems.create({
                customer: String(customer),
                subscription: id,
                currency: 'usd',
                amount,
              });
            }
            const replaces = change.replaces && { ...change.replaces, credit: Money.zero };
            return processor.changePlan(id, { ...change, replaces }, plan);
          },
        },
      }),
    },
  ],
  [
    6,
    'only the first subscription of a plan is ever looked at',
    ['subscribe'],
    / renews twice/,
    {
      meddle: ({ subscriptions }) => ({
        subscriptions: {
          ...subscriptions,
          async of(account) {
            const all = await subscriptions.of(account);
            return all.filter((one, at) => all.findIndex(({ plan }) => plan === one.plan) === at);
          },
          renewingTwice: async () => [],
        },
      }),
    },
  ],
  [
    7,
    'automatic top-ups need no more than any consent',
    ['buy', 'top up', 'use', 'chores'],
    / which its holder never agreed to/,
    {
      sql: [
        replacing(
          'shop.set_top_ups',
          'AND below >= p_below AND amount >= p_amount\n    AND monthly_max >= p_max',
          '',
        ),
        replacing(
          'shop.may_top_up',
          'AND c.below >= p_top_up.below AND c.amount >= p_top_up.amount AND c.monthly_max >= p_top_up.monthly_max',
          '',
        ),
      ],
    },
  ],
  [9, 'months are counted in the zone of the seller', ['buy'], /a month of .* ends/, { sql: [zoned()] }],
  [
    9,
    'a transaction pays for one purchase',
    ['buy'],
    / bought nothing/,
    { sql: ['CREATE UNIQUE INDEX ON shop.purchase (transaction)'] },
  ],
  [
    9,
    'each account that is joined keeps its trial',
    ['join'],
    / units of a trial are left/,
    { sql: [replacing('shop.end_duplicate_grants', 'IF v_second IS NULL THEN RETURN; END IF;', 'RETURN;')] },
  ],
  [
    10,
    'a loss is not told',
    ['buy', 'use', 'reverse'],
    / kept, and the shop told a loss of 0/,
    { sql: [replacing('shop.reversal_losses', 'loss := ceil(v_lost)', 'loss := 0')] },
  ],
];

function asClosed<T extends { state: string }>(page: T): T {
  return page.state === 'open' ? { ...page, state: 'expired' } : page;
}

function zoned(): string {
  return `DO $do$ BEGIN EXECUTE replace(pg_get_functiondef('shop.period_end'::regproc), $q$'UTC'$q$, $q$'America/New_York'$q$); END $do$`;
}
