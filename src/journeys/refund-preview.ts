import * as Money from '@sluice/kernel/money';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as Statement from '../ledger/statement.ts';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { LotRefund } from '../payment/replacement.ts';
import type { OrderLot } from '../payment/revenue-report.ts';
import * as Reversal from '../payment/reversal.ts';
import type { TopUps } from '../payment/top-up.ts';
import { taxDue } from './refund.ts';
import * as RefundedSubscription from './refunded-subscription.ts';
import type { SellerContext } from './seller-context.ts';

/** A refund of a period that a dearer plan replaced: the plan that has its unused part now, and the spent parts of the plans before. */
export type ReplacedRefund = {
  plan: string;
  spent: readonly { plan: string; asset: LotRefund['asset']; missing: number }[];
};

/** The effects of a refund that has not been made yet. */
export type PossibleRefund = {
  kind: 'possible';
  /** The amount of the refund, and the tax that is returned with it. */
  refunded: Money.Money;
  tax: Money.Money;
  effect: Reversal.RefundEffect;
  /** Set when a dearer plan replaced the period: `effect` and `kept` are then of that plan. */
  replaced: ReplacedRefund | null;
  /** The credit of the purchase that the buyer keeps, in its asset. */
  kept: number;
  /** The amount that was returned so far. */
  returned: Money.Money;
  /** The time of the last of these refunds and disputes; null without any. */
  returnedMs: number | null;
  /** The amount that the buyer asks for in an open request, which the refund answers; null without one. */
  wanted: Money.Money | null;
  /** The bank's inquiry ends, because nothing remains paid. */
  closesInquiry: boolean;
  /** The effect on auto top-up (shop.restrain_top_ups); null when it is not on. */
  topUp: 'ends' | 'stops' | 'stays' | null;
  ending: RefundedSubscription.SubscriptionEnd | null;
};
export type RefundPreview = PossibleRefund | { kind: 'too_much'; left: Money.Money };

type PreviewContext = Pick<SellerContext, 'console' | 'refundRequests'> &
  Pick<PaymentContext, 'clock' | 'orders' | 'subscriptions'> & { readonly topUps: Pick<TopUps, 'of'> } & Pick<
    LedgerContext,
    'statements'
  >;

/** Computes what was returned of an order so far, and the end of its subscription if the rest is refunded too. */
export async function previewRest(
  shop: Pick<PaymentContext, 'clock' | 'orders' | 'subscriptions'>,
  order: Order,
): Promise<{ reversed: Money.Money; ending: RefundedSubscription.SubscriptionEnd | null }> {
  const reversed = Reversal.totalReversed(await shop.orders.reversalsOf(order.id), order.amount);
  const isWhole = reversed >= order.amount;
  return { reversed, ending: isWhole ? null : await RefundedSubscription.endingOf(shop, order, Money.zero) };
}

/** Computes the effects of refunding `amount` of an order: the credit that is removed, the loss, and the end of its subscription. */
export async function preview(
  shop: PreviewContext,
  order: Order,
  amount: Money.Money,
): Promise<RefundPreview> {
  const [reversals, replacements] = await Promise.all([
    shop.orders.reversalsOf(order.id),
    shop.orders.replacementsOf([order.id]),
  ]);
  const reversed = Reversal.totalReversed(reversals, order.amount);
  const effective = reversals.filter(({ isEffective }) => isEffective);
  const left = Reversal.refundable(reversals, order.amount);
  if (order.state !== 'granted' || amount > left) return { kind: 'too_much', left };
  const request = await shop.refundRequests.find(order.id);
  const effects = replacements.has(order.id)
    ? ofReplaced(await shop.orders.refundTakes(order.id, amount))
    : ofLot(order, { reversed, amount }, await shop.console.revenueReport.lotOf(order.id));
  return {
    kind: 'possible',
    refunded: amount,
    tax: taxDue(order, reversals, amount),
    returned: reversed,
    returnedMs: effective.length === 0 ? null : Math.max(...effective.map(({ createdMs }) => createdMs)),
    ...effects,
    wanted: request?.state === 'open' ? request.amount : null,
    closesInquiry: amount === left && reversals.some(Reversal.isOpenInquiry),
    topUp: await topUpAfter(shop, order, reversals, amount, effects.effect),
    ending: await RefundedSubscription.endingOf(shop, order, Money.ofMicro(left - amount)),
  };
}

/** Returns what a refund does to auto top-up of the account, as the database will decide it. */
async function topUpAfter(
  shop: PreviewContext,
  { account, amount: paid, period }: Order,
  reversals: readonly Reversal.Reversal[],
  amount: Money.Money,
  { taken }: Reversal.RefundEffect,
): Promise<PossibleRefund['topUp']> {
  const topUp = account === null ? null : await shop.topUps.of(account);
  if (account === null || topUp?.state !== 'on') return null;
  const returned = Reversal.totalReversed(reversals, paid) + amount;
  if (returned >= paid || Reversal.standingOf(reversals).isDisputed) return 'ends';
  // A free trial is no reason to leave a card alone (shop.top_up_balance).
  const lots = (await shop.statements.of(account)).filter(({ kind }) => kind !== 'trial');
  const left = Statement.remaining(lots, 'usd', shop.clock()) - taken;
  return period === null && left < topUp.below ? 'stops' : 'stays';
}

type Effects = Pick<PossibleRefund, 'effect' | 'replaced' | 'kept'>;

/** Returns the effects on the lot of the order itself. */
function ofLot(
  order: Order,
  { reversed, amount }: { reversed: Money.Money; amount: Money.Money },
  lot: OrderLot | null,
): Effects {
  const effect = Reversal.refundEffect(order, reversed, amount, lot?.unspent ?? Money.zero);
  return { effect, replaced: null, kept: Math.max(0, (lot?.remaining ?? 0) - effect.taken) };
}

/** Returns the effects on the lots that replaced one another: only the last one has credit left. */
function ofReplaced(takes: readonly LotRefund[]): Effects {
  const last = takes.at(-1);
  if (last === undefined) throw new Error('the orders that replaced one another went away');
  const taken = Math.min(last.due, last.remaining);
  return {
    effect: { asset: last.asset, taken, missing: last.due - taken },
    replaced: {
      plan: last.plan,
      spent: takes
        .slice(0, -1)
        .filter(({ due }) => due > 0)
        .map(({ plan, asset, due }) => ({ plan, asset, missing: due })),
    },
    kept: last.remaining - taken,
  };
}
