import * as RefundRequests from '../../../journeys/refund-requests.ts';
import * as Reversing from '../../../journeys/reversal.ts';
import { id } from '../../../kernel/id.ts';
import * as Money from '../../../kernel/money.ts';
import * as RefundRequest from '../../../payment/refund-request.ts';
import * as Gone from '../../../payment/reversal.ts';
import type { Fault } from '../../../payment/wish.ts';
import type { Console, Shown } from '../../console.ts';
import type { Call } from '../../edge.ts';
import type { Notice } from '../../pages/console/account.ts';
import * as Door from '../../pages/console/door.ts';
import { usd } from '../../pages/console/figures.ts';
import * as Page from '../../pages/console/payment.ts';
import * as ListPage from '../../pages/console/payments.ts';

const path = '/admin/console/payments';
const dayMs = 86_400_000;
const listedMax = 50;

/** Payments: what is not at its end, what went back, and refunds. */
export function add(console: Console): void {
  const { shop } = console;
  const { processor, orders } = shop;

  console.room('Payments', path, async (c) => {
    const { takings } = shop.console;
    const [requests, unfinished, returned, notices, pastDue, declined, all] = await Promise.all([
      shop.refundRequests.list('open', null, listedMax),
      takings.unfinished(listedMax),
      takings.returned(listedMax),
      takings.openNotices(listedMax),
      takings.pastDue(listedMax),
      takings.declined(shop.clock() - 30 * dayMs, listedMax),
      orders.begun(null, c.req.query('after') ?? null, listedMax + 1),
    ]);
    const shown = all.slice(0, listedMax);
    const facts = {
      ...{ requests, unfinished, returned, notices, pastDue },
      declined: declined.map((order) => ({ order, gone: Money.zero })),
      all: await Promise.all(
        shown.map(async (order) => ({ order, gone: await Reversing.goneOf(shop, order) })),
      ),
      next: all.length > listedMax ? (shown.at(-1)?.id ?? null) : null,
    };
    return { title: 'Payments', main: ListPage.payments(facts, processor.pageOf) };
  });

  console.page(`${path}/:id`, (c) => page(c, null));

  console.page(`${path}/:id/refund`, async (c) => {
    const order = await orders.find(c.req.param('id') ?? '');
    if (order === null) return page(c, null);
    const read = Gone.parse({ purchase: order.id, amount_usd: c.req.query('amount_usd')?.trim() ?? '' });
    if (read.kind === 'fault' || read.wish.amount === null)
      return page(c, bad('An amount in US dollars and whole cents, such as 1.50.'));
    const [reversals, lot] = await Promise.all([
      orders.reversalsOf(order.id),
      shop.console.takings.lotOf(order.id),
    ]);
    const gone = Gone.total(reversals, order.amount);
    const { amount } = read.wish;
    const left = order.amount - gone;
    if (order.state !== 'granted' || amount > left)
      return page(c, bad(`Of this purchase ${usd(Money.ofMicro(Math.max(0, left)))} USD can go back.`));
    const bought = { amount: order.amount, units: order.period?.units ?? null };
    const effect = Gone.effect(bought, gone, amount, lot?.remaining ?? 0);
    const request = await shop.refundRequests.find(order.id);
    const key = request?.state === 'open' ? null : id('console');
    return { title: 'Refund', main: Page.confirm(order, amount, effect, key) };
  });

  console.form(`${path}/:id`, async (c, form, who) => {
    const purchase = c.req.param('id') ?? '';
    const act = form.get('act');
    if (act === 'decline') {
      const faults: Fault[] = [];
      const reason = RefundRequest.readText(Object.fromEntries(form), 'reason', faults);
      if (faults.length > 0) return page(c, bad('A reason is wanted, which the buyer reads.'));
      return page(c, inWords(await RefundRequests.answer(shop, purchase, { kind: 'decline', reason }, who)));
    }
    const key = act === 'answer' ? null : (form.get('key') ?? '');
    const read = Gone.parse({
      purchase,
      amount_usd: form.get('amount_usd') ?? '',
      ...(key !== null && { key }),
    });
    if (read.kind === 'fault') return page(c, bad('This form is not whole: begin anew.'));
    if (act !== 'answer') return page(c, inWords(await Reversing.refund(shop, read.wish, who)));
    const { amount } = read.wish;
    return page(c, inWords(await RefundRequests.answer(shop, purchase, { kind: 'refund', amount }, who)));
  });

  async function page(c: Call, notice: Notice): Promise<Shown> {
    const order = await orders.find(c.req.param('id') ?? '');
    if (order === null) {
      const main = Door.told('No such purchase', 'An offer that nobody took is forgotten after three days.');
      return { title: 'No such purchase', status: 404, main };
    }
    const [request, reversals, lot, loss] = await Promise.all([
      shop.refundRequests.find(order.id),
      orders.reversalsOf(order.id),
      shop.console.takings.lotOf(order.id),
      orders.lossOf(order.id),
    ]);
    const facts = { order, request, reversals, lot, loss, notice };
    const left = Money.ofMicro(order.amount - Gone.total(reversals, order.amount));
    const page = order.payment === null ? null : processor.pageOf(order.payment);
    const main = Page.payment({ ...facts, left, page });
    return { title: `Purchase ${order.id}`, status: notice?.isBad ? 422 : 200, main };
  }
}

/** What came of an answer or a refund. */
function inWords(outcome: RefundRequests.Answered): Notice {
  switch (outcome.kind) {
    case 'declined':
      return { text: 'Declined; its buyer reads why.', isBad: false };
    case 'answered':
      return bad(`This request has been answered: it is ${outcome.request.state}.`);
    case 'unknown_request':
      return bad('Nothing was asked back of this purchase.');
    case 'by_hand':
      return bad('This was paid in a coin: send it back from your wallet.');
    default:
      return { text: Reversing.inWords(outcome), isBad: outcome.kind !== 'refunded' };
  }
}

function bad(text: string): Notice {
  return { text, isBad: true };
}
