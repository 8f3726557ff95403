import * as Money from '@sluice/kernel/money';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { ListedPayment } from '../payment/processor.ts';
import * as Reversal from '../payment/reversal.ts';
import type { Invoice } from '../payment/subscription.ts';
import * as AcceptedToken from '../payment/x402/accepted-token.ts';
import { settle, taxIn } from './grant-order.ts';
import * as Renewal from './renewal.ts';
import * as ResolveInDoubt from './resolve-in-doubt.ts';
import { syncReversals } from './sync-reversals.ts';
import * as X402Settlement from './x402-settlement.ts';

/** One difference between our ledger and the processor, described for the seller, and whether it was repaired. */
export type Difference = {
  kind: 'not_granted' | 'another_amount' | 'not_reversed' | 'not_paid' | 'nobodys' | 'in_doubt';
  order: string | null;
  payment: string | null;
  detail: string;
  /** `repaired`, `repairable` by another run with `repair`, or to be resolved by a `person`. */
  state: 'repaired' | 'repairable' | 'person';
};

/** The sums of both sides for the compared period, which should be equal, and their differences. */
export type Comparison = {
  payments: number;
  taken: { processor: Money.Money; books: Money.Money };
  reversed: { processor: Money.Money; books: Money.Money };
  /** Number of granted x402 orders whose chain cannot be read, because no RPC URL is configured for it. */
  unproved: number;
  /**
   * Number of payments with the same processor account that were not made by this shop, by the public URL of their shop; '' counts
   * those of other uses of the account, which name no shop.
   */
  foreign: Record<string, number>;
  differences: Difference[];
};

/** Restores the order of a payment that is missing here; null when it cannot. */
type RestoreOrder = (payment: ListedPayment) => Promise<Order | null>;

/** A comparison in progress. */
type Run = {
  shop: PaymentContext;
  comparison: Comparison;
  /** Null unless differences are repaired. */
  restore: RestoreOrder | null;
  /** Ids of the payments that the processor listed. */
  listed: Set<string>;
};

/** Number of payments that are compared concurrently. */
const concurrentMax = 8;

/**
 * Compares the processor's payments and reversals since `sinceMs` with our orders, and explains each difference. With `repair` it fixes
 * those that can be fixed, with the same functions that process webhook events. It never charges or refunds anything.
 */
export async function compare(
  shop: PaymentContext,
  sinceMs: number,
  repair: boolean,
  restore: RestoreOrder = async () => null,
): Promise<Comparison> {
  if (repair) await ResolveInDoubt.resolveAll(shop);
  const comparison: Comparison = {
    payments: 0,
    taken: { processor: Money.zero, books: Money.zero },
    reversed: { processor: Money.zero, books: Money.zero },
    unproved: 0,
    foreign: {},
    differences: [],
  };
  const current: Run = { shop, comparison, restore: repair ? restore : null, listed: new Set() };
  for await (const invoice of shop.processor.invoices(sinceMs)) await compareInvoice(current, invoice);
  await comparePayments(current, sinceMs);
  await compareOrders(current, sinceMs);
  for (const order of await shop.orders.inDoubt())
    comparison.differences.push({
      kind: 'in_doubt',
      order: order.id,
      payment: null,
      detail: `its charge of ${Money.format(order.amount)} USD has no outcome yet; it is checked every 20 seconds`,
      state: repair ? 'person' : 'repairable',
    });
  return comparison;
}

/** Returns the state of a difference that has just been repaired, or not. */
function stateOf({ restore }: Run, isRepaired: boolean): Difference['state'] {
  if (isRepaired) return 'repaired';
  return restore === null ? 'repairable' : 'person';
}

/** Compares a paid invoice with its period. With `restore` it also synchronizes the subscription. */
async function compareInvoice(current: Run, invoice: Invoice): Promise<void> {
  const { shop, comparison, restore } = current;
  // Its payment is counted among the foreign ones.
  if (invoice.isForeign && (await shop.orders.find(invoice.order)) === null) return;
  const isBooked = (await shop.orders.paidBy(invoice.payment)) !== null;
  const account = restore === null ? null : await Renewal.book(shop, invoice);
  if (isBooked) return;
  comparison.differences.push({
    kind: 'not_granted',
    order: invoice.order,
    payment: invoice.payment,
    detail: `${Money.format(invoice.paid)} USD were paid for a period of ${invoice.plan}, which has not begun`,
    state: stateOf(current, account !== null),
  });
}

/** Compares all payments of the processor, several at a time. */
async function comparePayments(current: Run, sinceMs: number): Promise<void> {
  const { shop, restore } = current;
  const late: ListedPayment[] = [];
  let batch: Promise<void>[] = [];
  for await (const payment of shop.processor.payments(sinceMs)) {
    if (payment.state !== 'succeeded') continue;
    if (restore !== null && (await shop.orders.paidBy(payment.id)) === null) {
      late.push(payment);
      continue;
    }
    batch.push(comparePayment(current, payment));
    if (batch.length < concurrentMax) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  // The oldest payments are granted first, because a period that replaces another must be granted after it.
  for (const payment of late.reverse()) await comparePayment(current, payment);
}

async function comparePayment(current: Run, payment: ListedPayment): Promise<void> {
  const { shop, comparison, restore, listed } = current;
  const paid = await shop.orders.paidBy(payment.id);
  listed.add(payment.id);
  // The payment of an invoice names no order itself.
  const named = payment.order === null ? paid : await shop.orders.find(payment.order);
  const isOfInvoice = comparison.differences.some((one) => one.payment === payment.id);
  const order = named ?? (isOfInvoice || restore === null ? null : await restore(payment));
  if (order === null && !isOfInvoice) {
    noteUnknownPayment(comparison, payment);
    return;
  }
  comparison.payments += 1;
  comparison.taken.processor = Money.ofMicro(comparison.taken.processor + payment.received);
  if (order === null) return;
  const tax = paid?.tax ?? (await taxIn(shop, payment));
  if (payment.received !== order.amount + tax) {
    const taxed = tax === 0 ? '' : ` and ${Money.format(tax)} USD of tax`;
    const detail = `${Money.format(payment.received)} USD were paid and ${Money.format(order.amount)} USD${taxed} ordered`;
    note(comparison, payment, 'another_amount', detail, 'person');
    return;
  }
  const granted = paid ?? (await compareGrant(current, order, payment));
  if (granted === null) return;
  comparison.taken.books = Money.ofMicro(comparison.taken.books + granted.amount + granted.tax);
  await compareReversals(current, granted, payment);
}

function note(
  comparison: Comparison,
  payment: ListedPayment,
  kind: Difference['kind'],
  detail: string,
  state: Difference['state'],
): void {
  comparison.differences.push({ kind, order: payment.order, payment: payment.id, detail, state });
}

/** Records a payment without an order here: one of another use of the processor account, or a difference. */
function noteUnknownPayment(comparison: Comparison, payment: ListedPayment): void {
  if (payment.isForeign) {
    const shop = payment.shop ?? '';
    comparison.foreign[shop] = (comparison.foreign[shop] ?? 0) + 1;
    return;
  }
  const detail = `${Money.format(payment.received)} USD were paid for a purchase that is not in our ledger`;
  note(comparison, payment, 'nobodys', detail, 'person');
}

/** Records that an order was paid but not granted, and grants it when differences are repaired. Returns the granted order, or null. */
async function compareGrant(current: Run, order: Order, payment: ListedPayment): Promise<Order | null> {
  const { shop, comparison, restore } = current;
  if (restore !== null) await settle(shop, order, payment);
  const granted = restore === null ? null : await shop.orders.paidBy(payment.id);
  const detail = `${Money.format(payment.received)} USD were paid and nothing was granted for it`;
  note(comparison, payment, 'not_granted', detail, stateOf(current, granted !== null));
  return granted;
}

/** Compares the reversals of a granted order, with their tax, and synchronizes them when differences are repaired. */
async function compareReversals(current: Run, paid: Order, payment: ListedPayment): Promise<void> {
  const { shop, comparison, restore } = current;
  const sum = (reversals: readonly Reversal.Reversal[]) =>
    Money.ofMicro(
      Reversal.totalReversed(reversals, paid.amount) + Reversal.totalTaxReversed(reversals, paid.tax),
    );
  const theirs = sum(Reversal.split(await shop.processor.reversalsOf(payment.id), paid));
  const recorded = async () => sum(await shop.orders.reversalsOf(paid.id));
  let ours = await recorded();
  if (ours !== theirs) {
    const taxed = paid.tax > 0 ? ', both including tax' : '';
    const detail = `${Money.format(theirs)} USD were refunded or disputed, but the credit of ${Money.format(ours)} USD was taken back${taxed}`;
    if (restore !== null) {
      await syncReversals(shop, payment.id);
      ours = await recorded();
    }
    note(comparison, payment, 'not_reversed', detail, stateOf(current, ours === theirs));
  }
  comparison.reversed.processor = Money.ofMicro(comparison.reversed.processor + theirs);
  comparison.reversed.books = Money.ofMicro(comparison.reversed.books + ours);
}

/** Compares our granted orders whose payment the processor did not list. */
async function compareOrders({ shop, comparison, listed }: Run, sinceMs: number): Promise<void> {
  for await (const order of shop.orders.grantedSince(sinceMs)) {
    // A free order has no payment.
    if (order.amount === 0) continue;
    if (order.rail === 'x402') await compareX402(shop, order, comparison);
    else if (order.payment !== null && !listed.has(order.payment))
      await compareOrder(shop, order, order.payment, comparison);
  }
}

/** Compares a granted x402 order with its transfer on the chain. Without access to the chain the order is counted as unproved. */
async function compareX402(
  shop: Pick<PaymentContext, 'acceptedTokens'>,
  order: Order,
  comparison: Comparison,
): Promise<void> {
  const { signedPayment: signed, transaction, amount } = order;
  const chain =
    signed &&
    shop.acceptedTokens &&
    AcceptedToken.find(shop.acceptedTokens, signed.network, signed.asset)?.chain;
  if (!chain) {
    comparison.unproved += 1;
    return;
  }
  comparison.payments += 1;
  comparison.taken.books = Money.ofMicro(comparison.taken.books + amount);
  const evidence = await X402Settlement.readEvidence(chain, order, signed, transaction);
  if (evidence.kind === 'paid') {
    comparison.taken.processor = Money.ofMicro(comparison.taken.processor + amount);
    return;
  }
  const found = {
    canceled: 'its authorization was cancelled',
    spent: 'its authorization was used for something else',
    unused: 'its authorization was never used',
    unseen: 'no transaction of its time shows it',
  }[evidence.kind];
  comparison.differences.push({
    kind: 'not_paid',
    order: order.id,
    payment: transaction ?? order.payment,
    detail: `${Money.format(amount)} USD were granted, and ${signed.network} shows no such payment: ${found}`,
    state: 'person',
  });
}

/** Checks an order whose payment was not listed: it was made before the period of the comparison, or never. */
async function compareOrder(
  shop: Pick<PaymentContext, 'processor'>,
  order: Order,
  paymentId: string,
  comparison: Comparison,
): Promise<void> {
  const payment = await shop.processor.readPayment(paymentId).catch(() => null);
  if (payment?.state === 'succeeded') return;
  comparison.taken.books = Money.ofMicro(comparison.taken.books + order.amount + order.tax);
  const detail = `${Money.format(order.amount)} USD were granted, and the processor knows of no such payment`;
  comparison.differences.push({
    kind: 'not_paid',
    order: order.id,
    payment: paymentId,
    detail,
    state: 'person',
  });
}
