import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import type { Payment } from '../payment/processor.ts';
import * as Reversal from '../payment/reversal.ts';
import type { Invoice } from '../payment/subscription.ts';
import * as Reconciliation from './reconciliation.ts';
import * as Renewal from './renewal.ts';
import { look } from './reversal.ts';
import { settle, type Till } from './settlement.ts';

/** One difference between our books and the processor's, in words, and whether it is gone now. */
export type Difference = {
  kind: 'not_granted' | 'another_amount' | 'not_reversed' | 'not_paid' | 'nobodys' | 'in_doubt';
  order: string | null;
  payment: string | null;
  detail: string;
  /** `repaired`, `repairable` by another run with `repair`, or for a `person` to look at. */
  state: 'repaired' | 'repairable' | 'person';
};

/** What both sides say was taken, and what went back, since a moment. The two columns are to be the same. */
export type Comparison = {
  payments: number;
  taken: { processor: Money.Money; books: Money.Money };
  reversed: { processor: Money.Money; books: Money.Money };
  differences: Difference[];
};

/** As many orders as this are compared at a time. */
const beside = 8;

/**
 * Compares what the processor took and gave back since `sinceMs` with our orders, and explains each difference. With
 * `repair` those are mended that can be: by the very steps that a notice takes. Nothing is charged or refunded by it.
 */
export async function run(shop: Till, sinceMs: number, repair: boolean): Promise<Comparison> {
  if (repair) await Reconciliation.run(shop);
  const comparison: Comparison = {
    payments: 0,
    taken: { processor: Money.zero, books: Money.zero },
    reversed: { processor: Money.zero, books: Money.zero },
    differences: [],
  };
  for await (const invoice of shop.processor.invoices(sinceMs))
    await compareInvoice(shop, invoice, repair, comparison);
  const seen = new Set<string>();
  const compare = (payment: Payment) => comparePayment(shop, payment, repair, comparison, seen);
  let batch: Promise<void>[] = [];
  for await (const payment of shop.processor.payments(sinceMs)) {
    if (payment.state !== 'succeeded') continue;
    batch.push(compare(payment));
    if (batch.length < beside) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  for await (const order of shop.orders.grantedSince(sinceMs)) {
    // What cost nothing was paid by no payment.
    if (order.rail === 'x402' || order.amount === 0) continue;
    if (order.payment === null || seen.has(order.payment)) continue;
    await compareOrder(shop, order, order.payment, comparison);
  }
  for (const order of await shop.orders.inDoubt())
    comparison.differences.push({
      kind: 'in_doubt',
      order: order.id,
      payment: null,
      detail: `its charge of ${Money.format(order.amount)} USD has no outcome yet; it is looked at every 20 seconds`,
      state: repair ? 'person' : 'repairable',
    });
  return comparison;
}

/** A paid invoice has its period, and its subscription stands as it does at the processor. */
async function compareInvoice(
  shop: Till,
  invoice: Invoice,
  repair: boolean,
  comparison: Comparison,
): Promise<void> {
  const isBooked = (await shop.orders.paidBy(invoice.payment)) !== null;
  // Repeats change nothing, and bring the subscription in line as well.
  const account = repair ? await Renewal.book(shop, invoice) : null;
  if (isBooked) return;
  comparison.differences.push({
    kind: 'not_granted',
    order: invoice.order,
    payment: invoice.payment,
    detail: `${Money.format(invoice.paid)} USD were taken for a period of ${invoice.plan}, which has not begun`,
    state: account !== null ? 'repaired' : repair ? 'person' : 'repairable',
  });
}

async function comparePayment(
  shop: Till,
  payment: Payment,
  repair: boolean,
  comparison: Comparison,
  seen: Set<string>,
): Promise<void> {
  let paid = await shop.orders.paidBy(payment.id);
  // What pays an invoice names no order itself.
  const order = payment.order === null ? paid : await shop.orders.find(payment.order);
  const note = (kind: Difference['kind'], detail: string, state: Difference['state']) =>
    comparison.differences.push({ kind, order: payment.order, payment: payment.id, detail, state });
  seen.add(payment.id);
  const isOfInvoice = comparison.differences.some((one) => one.payment === payment.id);
  if (order === null && !isOfInvoice) {
    const detail = `${Money.format(payment.received)} USD were taken for nothing that is in our books`;
    return void note('nobodys', detail, 'person');
  }
  comparison.payments += 1;
  comparison.taken.processor = Money.ofMicro(comparison.taken.processor + payment.received);
  if (order === null) return;
  if (payment.received !== order.amount) {
    const detail = `${Money.format(payment.received)} USD were taken and ${Money.format(order.amount)} USD ordered`;
    return void note('another_amount', detail, 'person');
  }
  if (paid === null) {
    if (repair) {
      await settle(shop, order, payment);
      paid = await shop.orders.paidBy(payment.id);
    }
    const detail = `${Money.format(payment.received)} USD were taken and nothing was granted for it`;
    note('not_granted', detail, paid ? 'repaired' : repair ? 'person' : 'repairable');
  }
  if (paid === null) return;
  comparison.taken.books = Money.ofMicro(comparison.taken.books + paid.amount);
  const theirs = Reversal.total(await shop.processor.reversalsOf(payment.id), paid.amount);
  const known = async () => Reversal.total(await shop.orders.reversalsOf(paid.id), paid.amount);
  let ours = await known();
  if (ours !== theirs) {
    const detail = `${Money.format(theirs)} USD went back, and the credit of ${Money.format(ours)} USD`;
    if (repair) {
      await look(shop, payment.id);
      ours = await known();
    }
    note('not_reversed', detail, ours === theirs ? 'repaired' : repair ? 'person' : 'repairable');
  }
  comparison.reversed.processor = Money.ofMicro(comparison.reversed.processor + theirs);
  comparison.reversed.books = Money.ofMicro(comparison.reversed.books + ours);
}

/** An order that says it was paid, by a payment that was not listed: made earlier than granted, or never. */
async function compareOrder(
  shop: Till,
  order: Order,
  paymentId: string,
  comparison: Comparison,
): Promise<void> {
  const payment = await shop.processor.readPayment(paymentId).catch(() => null);
  if (payment?.state === 'succeeded') return;
  comparison.taken.books = Money.ofMicro(comparison.taken.books + order.amount);
  const detail = `${Money.format(order.amount)} USD were granted, and the processor knows of no such payment`;
  comparison.differences.push({
    kind: 'not_paid',
    order: order.id,
    payment: paymentId,
    detail,
    state: 'person',
  });
}
