import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import * as Comparison from '../../src/journeys/reconciliation-report.ts';
import { judge, type Payment } from '../support/value-judge.ts';
import { dearestUnit, type ShopBuyer, unitPrice } from './shop-buyer.ts';
import type { Overview, Shown } from './shop-overview.ts';
import type { World } from './shop-world.ts';

const listMax = 10_000;
const trialUnits = 25;
const centMicro = 10_000;
const restLooksMax = 100;

type Span = { sinceMs: number; isExact: boolean };
type Sight = {
  payments: Stripe.PaymentIntent[];
  customers: Map<string, string>;
  reversed: Map<string, number>;
  subscriptions: Stripe.Subscription[];
};

/** Returns the card network's view of everything since a moment. */
async function see({ network: { stripe } }: World, sinceMs: number): Promise<Sight> {
  const created = { gte: Math.floor(sinceMs / 1_000) };
  const whole = { limit: listMax };
  const [payments, sessions, refunds, disputes, subscriptions] = await Promise.all([
    stripe.paymentIntents.list({ created, limit: 100 }).autoPagingToArray(whole),
    stripe.checkout.sessions.list({ created, limit: 100 }).autoPagingToArray(whole),
    stripe.refunds.list({ created, limit: 100 }).autoPagingToArray(whole),
    stripe.disputes.list({ created, limit: 100 }).autoPagingToArray(whole),
    stripe.subscriptions.list({ created, status: 'all', limit: 100 }).autoPagingToArray(whole),
  ]);
  const reversed = new Map<string, number>();
  const add = (payment: unknown, cents: number) =>
    reversed.set(String(payment), (reversed.get(String(payment)) ?? 0) + cents * centMicro);
  for (const { payment_intent, amount, status } of refunds)
    if (status !== 'failed' && status !== 'canceled') add(payment_intent, amount);
  for (const { payment_intent, amount, status } of disputes)
    if (status !== 'won' && !status.startsWith('warning')) add(payment_intent, amount);
  const customers = new Map(
    sessions.flatMap(({ id, customer }) => (customer ? [[String(customer), id] as const] : [])),
  );
  return { payments, customers, reversed, subscriptions };
}

/** Returns true when a payment is the buyer's, judged by the buyer's orders and the pages on which they entered a card. */
function isOf({ customers }: Sight, buyer: ShopBuyer, payment: Stripe.PaymentIntent): boolean {
  const session = customers.get(String(payment.customer));
  return (
    (session !== undefined && buyer.sessions.has(session)) ||
    buyer.offers.some(({ order }) => order === payment.metadata.order)
  );
}

export async function paymentsOf(
  world: World,
  buyer: ShopBuyer,
  sinceMs: number,
): Promise<Stripe.PaymentIntent[]> {
  const sight = await see(world, sinceMs);
  return sight.payments.filter((one) => isOf(sight, buyer, one)).reverse();
}

export async function subscriptionsOf(
  world: World,
  buyer: ShopBuyer,
  sinceMs: number,
): Promise<Stripe.Subscription[]> {
  const sight = await see(world, sinceMs);
  return sight.subscriptions.filter((one) => isLive(one) && isHeldBy(sight, buyer, one));
}

function isHeldBy({ customers }: Sight, buyer: ShopBuyer, { customer }: Stripe.Subscription): boolean {
  const session = customers.get(String(customer));
  return session !== undefined && buyer.sessions.has(session);
}

function isLive({ status }: Stripe.Subscription): boolean {
  return ['active', 'past_due', 'unpaid'].includes(status);
}

/** Runs the seller's comparison, with its repairs. */
export async function repair(world: World): Promise<void> {
  const [{ shop }] = world.processes;
  await Comparison.compare(shop, world.nowMs() - 100 * 86_400_000, true);
}

/** Judges all buyers, and checks that no other card was charged. Returns everything that is wrong. */
export async function judgeAll(world: World, buyers: readonly ShopBuyer[], span: Span): Promise<string[]> {
  const sight = await see(world, span.sinceMs);
  const found: string[] = [];
  for (const one of sight.payments)
    if (one.amount_received > 0 && !buyers.some((buyer) => isOf(sight, buyer, one)))
      found.push(`${one.id} took ${one.amount_received} cents from a buyer who paid nothing like it`);
  for (const buyer of buyers) found.push(...(await judgeOne(world, buyer, sight, span)));
  for (const { rule, subject, detail } of await world.sql`SELECT * FROM ledger.verify()`)
    found.push(`verify: ${rule}: ${subject}: ${detail}`);
  const compared = await Comparison.compare(world.processes[1].shop, span.sinceMs, false);
  for (const { kind, order, payment, detail } of compared.differences)
    found.push(`reconcile: ${kind} ${order} ${payment} ${detail}`);
  return found;
}

async function judgeOne(world: World, buyer: ShopBuyer, sight: Sight, span: Span): Promise<string[]> {
  const payments = received(world, buyer, sight);
  const paid = payments.reduce((sum, one) => sum + one.received, 0);
  const overview = await buyer.overview();
  if (overview === null)
    return paid > 0 ? [`a buyer paid ${usd(paid)} USD and was given no way into the account`] : [];
  const slack = dearestUnit * (buyer.steps + 2);
  const left = leftOf(overview);
  const found = judge(
    {
      used: buyer.used,
      left,
      payments,
      given: 0,
      granted: await granted(buyer, payments),
      lossTold: await lossTold(world, buyer),
    },
    { unitPrice: dearestUnit, steps: buyer.steps + 2 },
  );
  const isWhole = span.isExact && !buyer.wasSlow && payments.every(({ reversed }) => reversed === 0);
  if (isWhole && buyer.used + left < paid - slack)
    found.push(`received ${usd(buyer.used + left)} USD for ${usd(paid)} paid`);
  found.push(
    ...judgeTrial(buyer, overview),
    ...judgeSubscriptions(buyer, sight),
    ...judgeAutomatic(buyer, sight),
    ...judgeMonths(overview.subscriptions),
  );
  return found.map((one) => `${buyer.account}: ${one}`);
}

/** Returns the payments that the processor and the chain received from the buyer. Those of one transaction are numbered. */
function received({ facilitator }: World, buyer: ShopBuyer, sight: Sight): Payment[] {
  const cards = sight.payments
    .filter((one) => one.amount_received > 0 && isOf(sight, buyer, one))
    .map(({ id, amount_received }) => ({
      id,
      received: amount_received * centMicro,
      reversed: Math.min(amount_received * centMicro, sight.reversed.get(id) ?? 0),
    }));
  const coins = facilitator.settled
    .filter(({ nonce }) => buyer.nonces.has(nonce))
    .map(({ transaction, value }, at) => ({
      id: `${transaction}#${at}`,
      received: Number(value),
      reversed: 0,
    }));
  return [...cards, ...coins];
}

/** Returns the payments that the account's receipts name, with one entry per receipt for payments of one transaction. */
async function granted(buyer: ShopBuyer, payments: readonly Payment[]): Promise<Set<string>> {
  const receipts = await buyer.receipts();
  const names = new Set<string>();
  for (const { id } of payments) {
    const [transaction = ''] = id.split('#');
    const count = receipts.get(transaction) ?? 0;
    if (count > 0) names.add(id);
    receipts.set(transaction, count - 1);
  }
  return names;
}

function leftOf({ plans }: Overview): number {
  return plans.reduce(
    (sum, { id, included_remaining, balance_usd }) =>
      sum +
      (id === 'trial'
        ? 0
        : balance_usd
          ? (Money.parse(balance_usd) ?? 0)
          : (included_remaining ?? 0) * (unitPrice[id] ?? 0)),
    0,
  );
}

/** Returns the cost of reversals according to the shop, after leases were returned. */
async function lossTold({ sql }: World, { account }: ShopBuyer): Promise<number> {
  for (let look = 0; ; look += 1) {
    const [row] = await sql<[{ loss: number; pending: number }]>`
      SELECT coalesce(sum(l.loss), 0)::bigint AS loss, coalesce(sum(l.pending), 0)::bigint AS pending
        FROM shop.purchase o CROSS JOIN LATERAL shop.reversal_losses(o.id) l WHERE o.account_id = ${account} AND o.state = 'granted'`;
    if (row.pending === 0 || look === restLooksMax) return row.loss;
    await sql`SELECT ledger.collect_clawbacks()`;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A person has one trial, even with several joined accounts; units of the other trials that were used before the join stay used. */
function judgeTrial(buyer: ShopBuyer, { plans }: Overview): string[] {
  const left = plans.find(({ id }) => id === 'trial')?.included_remaining ?? 0;
  return left + buyer.trialUsed > trialUnits
    ? [`${left} units of a trial are left and ${buyer.trialUsed} were used of ${trialUnits}`]
    : [];
}

/** Checks that no plan renews twice for one buyer. */
function judgeSubscriptions(buyer: ShopBuyer, sight: Sight): string[] {
  const renewing = sight.subscriptions.filter(
    (one) => isLive(one) && !one.cancel_at_period_end && isHeldBy(sight, buyer, one),
  );
  const prices = renewing.map(({ items }) => items.data[0]?.price.id);
  return prices.filter((price, at) => prices.indexOf(price) !== at).map((price) => `${price} renews twice`);
}

/** Checks that automatic charges stay within the holder's consent, both each time and per month. */
function judgeAutomatic(buyer: ShopBuyer, sight: Sight): string[] {
  const months = new Map<string, number>();
  const found: string[] = [];
  for (const one of sight.payments) {
    if (!one.metadata.challenge?.startsWith('topup_') || !isOf(sight, buyer, one)) continue;
    const amount = one.amount_received * centMicro;
    if (!buyer.consents.some((consent) => consent.amount >= amount))
      found.push(`a card was charged ${usd(amount)} USD, which its holder never agreed to`);
    const month = new Date(one.created * 1_000).toISOString().slice(0, 7);
    const sum = (months.get(month) ?? 0) + amount;
    months.set(month, sum);
    if (sum > Math.max(0, ...buyer.consents.map(({ monthlyMax }) => monthlyMax)))
      found.push(`a card was charged ${usd(sum)} USD in ${month}`);
  }
  return found;
}

/** Checks that prepaid periods are whole calendar months (UTC), counted from the first of consecutive ones. */
function judgeMonths(subscriptions: readonly Shown[]): string[] {
  const prepaid = subscriptions
    .filter(({ id, status }) => id.startsWith('sub_pur') && (status === 'active' || status === 'expired'))
    .map(({ plan, period_start, period_end }) => ({
      plan,
      start: new Date(period_start),
      end: new Date(period_end),
    }))
    .sort((one, other) => one.start.getTime() - other.start.getTime());
  const found: string[] = [];
  const lasts = new Map<string, { anchor: Date; months: number; end: number }>();
  for (const { plan, start, end } of prepaid) {
    const last = lasts.get(`${plan} ${start.getTime()}`);
    const anchor = last?.anchor ?? start;
    const months = (last?.months ?? 0) + 1;
    const fair = monthsAfter(anchor, months);
    if (end.getTime() !== fair)
      found.push(`a month of ${plan} from ${start.toISOString()} ends ${end.toISOString()}`);
    lasts.set(`${plan} ${end.getTime()}`, { anchor, months, end: end.getTime() });
  }
  return found;
}

function monthsAfter(from: Date, months: number): number {
  const month = from.getUTCMonth() + months;
  const days = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const date = new Date(from);
  date.setUTCDate(1);
  date.setUTCMonth(month);
  date.setUTCDate(Math.min(from.getUTCDate(), days));
  return date.getTime();
}

/** Ends all renewing subscriptions, so that later histories can move time freely. */
export async function endSubscriptions(world: World, sinceMs: number): Promise<void> {
  const { stripe } = world.network;
  for (const one of (await see(world, sinceMs)).subscriptions)
    if (isLive(one)) await stripe.subscriptions.cancel(one.id);
  await world.network.control('/webhooks/deliver-in-reverse');
}

function usd(micro: number): string {
  return (micro / 1_000_000).toFixed(6);
}
