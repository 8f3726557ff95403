import type * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { FoundAccount } from '../../../identity/account-search.ts';
import type { StatementLot } from '../../../ledger/statement.ts';
import type { Order } from '../../../payment/order.ts';
import { type Subscription, willRenew } from '../../../payment/subscription.ts';
import type { Html } from '../../pages/frame.ts';
import { confirmation } from './confirmation.ts';
import { copied, day, money, table } from './figures.ts';
import { buyerLink, type ListedOrder, type PlanName } from './orders.ts';
import { state } from './states.ts';

type ChargeFacts = { orders: readonly ListedOrder[]; planName: PlanName };
type PlanFacts = ChargeFacts & {
  subscriptions: readonly Subscription[];
  lots: readonly StatementLot[];
  nowMs: number;
};

/** The price of the running period of a subscription, as it was agreed; null when its purchase is not among the orders. */
function priceOf({ plan, endMs }: Subscription, orders: readonly Order[]): Money.Money | null {
  const paid = orders.find((order) => order.plan === plan && order.periodEndMs === endMs);
  return paid?.period?.terms.price ?? null;
}

/** The plans of an account, with the next charge of each. */
export function plans(account: string, facts: PlanFacts, canCancel: boolean): Html {
  const { subscriptions: all, orders: bought, planName } = facts;
  if (all.length === 0) return html``;
  const isRefunded = ({ plan, endMs }: Subscription) =>
    bought.some(
      ({ order, reversed }) =>
        order.plan === plan && order.periodEndMs === endMs && order.amount > 0 && reversed >= order.amount,
    );
  const hasAction = canCancel && all.some(willRenew);
  const row = (one: Subscription) =>
    html`<tr><th scope="row">${planName(one.plan)}</th><td>${state(one.endedMs == null ? one.status : 'ended')}</td>${period(one, facts, isRefunded(one))}<td>${copied(one.id)}</td>${hasAction ? html`<td>${cancelLink(account, one)}</td>` : ''}</tr>`;
  const columns = ['Plan', { lead: 'Status' }, { bare: 'Period' }, { bare: 'Then' }, 'Subscription'];
  return html`<section aria-labelledby="plans"><h2 id="plans">Plans</h2>${table('Plans', hasAction ? [...columns, ''] : columns, all.map(row), 'stack')}</section>`;
}

function cancelLink(account: string, one: Subscription): Html {
  if (!willRenew(one)) return html``;
  return html`<a class="button plain small nowrap" href="${cancelPath(account, one)}">Cancel plan</a>`;
}

function cancelPath(account: string, { id }: Subscription): string {
  return `/admin/console/accounts/${account}/cancel?subscription=${encodeURIComponent(id)}`;
}

/** The next charge of a plan that renews: `10.00 USD, renews on 27 Dec 2026`. */
function renewal(one: Subscription, { orders, planName }: ChargeFacts): string {
  const price = priceOf(
    one,
    orders.map(({ order }) => order),
  );
  const next = one.nextPlan === null || one.nextPlan === one.plan ? '' : ` as ${planName(one.nextPlan)}`;
  return `${price === null ? '' : `${money(price)}, `}renews on ${day(one.endMs)}${next}`;
}

/** When the access of an unpaid renewal ends: with what the plan included last. */
function accessEnd({ plan }: Subscription, { lots, nowMs }: Pick<PlanFacts, 'lots' | 'nowMs'>): string {
  const ends = lots.flatMap((lot) =>
    lot.kind === 'allowance' && lot.plan === plan ? (lot.expiresMs ?? []) : [],
  );
  if (ends.length === 0) return '';
  const lastMs = Math.max(...ends);
  return `, access ${lastMs > nowMs ? 'ends' : 'ended'} ${day(lastMs)}`;
}

/** Describes what happens at the end of the period of a subscription that has not ended. */
function thenOf(one: Subscription, facts: Omit<PlanFacts, 'subscriptions'>): string | Html {
  if (one.status === 'past_due')
    return html`renewal unpaid since ${day(one.endMs)}${accessEnd(one, facts)}: <a href="/admin/console/payments?view=past-due">unpaid renewals</a>`;
  return willRenew(one) ? renewal(one, facts) : `ends on ${day(one.endMs)}`;
}

/** Two cells: the period of a subscription and what happens at its end. For one that has ended: its first day, and the day it ended. */
function period(one: Subscription, facts: PlanFacts, isRefunded: boolean): Html {
  return one.endedMs == null
    ? html`<td>${day(one.startMs)} to ${day(one.endMs)}</td><td>${thenOf(one, facts)}</td>`
    : html`<td>from ${day(one.startMs)}</td><td>ended ${day(one.endedMs)}${isRefunded ? ', refunded' : ''}</td>`;
}

/** The charges that a frozen account still gets: `The Start plan, 99.00 USD, renews on 27 Dec 2026 although its calls are refused.` */
export function chargedWhileFrozen(one: Subscription, facts: ChargeFacts): string {
  const name = facts.planName(one.plan);
  if (one.status === 'past_due')
    return `The unpaid renewal of the ${name} plan is charged again although its calls are refused.`;
  return `The ${name} plan, ${renewal(one, facts)} although its calls are refused.`;
}

/** The plans that are charged although their account is frozen, each with the link that cancels it. */
export function frozenPlans(account: string, facts: PlanFacts, canCancel: boolean): Html[] {
  return facts.subscriptions
    .filter(willRenew)
    .map(
      (one) =>
        html`<p class="note">${chargedWhileFrozen(one, facts)}${canCancel ? html` <a href="${cancelPath(account, one)}">Cancel plan</a>` : ''}</p>`,
    );
}

/** The result of a cancellation: when the plan ends, or that it has ended. */
export function endText(one: Subscription, planName: PlanName): string {
  const isOver = one.endedMs != null || one.status === 'canceled' || one.status === 'expired';
  return `The ${planName(one.plan)} plan ${isOver ? 'has ended' : `ends on ${day(one.endMs)}`}. It is not charged again.`;
}

/** The choice to cancel the plans of an account that is frozen. */
export function cancelToo(renewing: readonly Subscription[], planName: PlanName): Html {
  if (renewing.length === 0) return html``;
  const names = renewing.map(({ plan }) => planName(plan)).join(' and ');
  const what = renewing.length === 1 ? `the ${names} plan` : `the plans ${names}`;
  return html`<label class="check"><input type="checkbox" name="cancel" value="yes"> Cancel ${what} too, so that the card is not charged again</label>`;
}

/** Shows the effects of cancelling a plan before it is done. */
export function confirmCancel(
  one: Subscription,
  facts: ChargeFacts & { account: FoundAccount; isOwed: boolean },
): Html {
  const name = facts.planName(one.plan);
  const back = `/admin/console/accounts/${one.account}`;
  const ends = facts.isOwed
    ? ['The plan ends now, because its renewal is not paid. The unpaid renewal is void.']
    : [
        `The plan ends on ${day(one.endMs)}. Until then the buyer keeps it, with the results that are left.`,
        `The buyer can let it renew again until then${facts.account.frozenMs === null ? '' : ', if the account is unfrozen'}.`,
      ];
  return confirmation({
    question: `Cancel the ${name} plan?`,
    subject: 'Plan',
    facts: [
      ['Buyer', buyerLink(facts.account.id, facts.account.email)],
      ['Plan', name],
      ['Period', `${day(one.startMs)} to ${day(one.endMs)}`],
      ['Next', thenOf(one, { ...facts, lots: [], nowMs: 0 })],
      ['Subscription', html`<span class="id">${one.id}</span>`],
    ],
    effects: [
      ...ends,
      'It is not charged again. Nothing is refunded: a refund is made on the page of the purchase.',
      'The audit log records it, with your name and your IP address.',
    ],
    action: back,
    fields: html`<input type="hidden" name="act" value="cancel"><input type="hidden" name="subscription" value="${one.id}">`,
    button: 'Cancel plan',
    back,
    backText: 'Keep the plan',
  });
}
