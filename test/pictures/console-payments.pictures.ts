import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Customer from '../support/customer.ts';
import {
  at,
  type Buyer,
  bought,
  disputed,
  front,
  history,
  names,
  openSite,
  type Site,
  Visitor,
} from './history.ts';

let site: Site;
let buyers: Map<string, Buyer>;
beforeAll(async () => {
  site = await openSite();
  buyers = await history(site);
});
afterAll(() => site?.close());

const buyer = (email: string) => buyers.get(email) as Buyer;
const purchase = (email: string) => at(`payments/${buyer(email).order}`);

/** A buyer with a subscription, paid on the hosted page. */
async function subscribed(email: string): Promise<Buyer> {
  const agent = await Agent.registered(site.shop.url);
  const offer = await Agent.offer(agent, {}, 'start');
  await Customer.pay(offer.checkoutUrl);
  await site.shop
    .sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${agent.account}`;
  return { ...agent, order: offer.order, email };
}

test('payments are listed, opened, refunded and declined', async () => {
  const { shop } = site;
  const seller = await Visitor.at(site);
  await seller.signIn();
  seller.group = 'console-payments';
  await seller.see(at('payments'), 'all, full');
  await seller.unfold('More filters');
  await seller.shot('all filters open');
  await seller.choose('Status', 'disputed');
  await seller.press('Filter');
  await seller.shot('filtered by disputed');
  await seller.see(at('payments?rail=x402&from=2020-01-01'), 'filtered by method and day');
  await seller.see(at('payments?q=none@example.com'), 'filter without a match');
  await seller.see(at('payments?state=declined'), 'declined');
  await seller.see(at('payments?view=requests'), 'refund requests');
  await seller.see(at('payments?view=returned'), 'refunds and disputes');
  seller.group = 'console-purchase';
  await seller.see(purchase(names[0]), 'paid by an agent');
  await seller.page.getByRole('link', { name: names[0] }).first().waitFor();
  const [declined] = await shop.sql<{ id: string }[]>`SELECT id FROM shop.purchase WHERE state = 'declined'`;
  await seller.see(at(`payments/${declined?.id}`), 'declined');
  await seller.see(purchase('emmy@noether.example'), 'disputed');
  const amount = seller.page.locator('#amount');
  seller.group = 'console-refund';
  await seller.open(purchase(names[0]));
  await amount.fill('99.00');
  await seller.press('Review refund');
  await seller.shot('more than was paid');
  await amount.fill('1.50');
  await seller.press('Review refund');
  await seller.shot('review of a part');
  const review = seller.page.url();
  await seller.press('Refund 1.50 USD');
  await seller.shot('a part refunded');
  await seller.see(review, 'review of a refund that was made already');
  await seller.open(purchase(names[0]));
  await seller.press('Review refund');
  await seller.shot('review of the rest, a part of it spent');
  await site.network.fault('POST /v1/refunds', '500_before', 20);
  await seller.press(/^Refund /);
  await seller.shot('outcome not known, the processor fails');
  await site.network.clearFaults();
  await seller.open(purchase(names[0]));
  await seller.press('Review refund');
  await seller.press(/^Refund /);
  await seller.shot('all refunded');
  seller.group = 'console-refund-request';
  await seller.see(purchase(names[2]), 'open request');
  await seller.unfold('Decline the request');
  await seller.unchecked();
  await seller.press('Decline');
  await seller.shot('declined without a reason');
  await seller.open(purchase(names[2]));
  await seller.press('Review refund');
  await seller.shot('review of the answer');
  await seller.open(purchase(names[2]));
  await seller.unfold('Decline the request');
  await seller.page.locator('#reason').fill('Most of it was used. Write to us if a call failed.');
  await seller.press('Decline');
  await seller.shot('declined with a reason');
  await byHand(seller);
  await seller.leave();
});

/** A payment in a stablecoin is refunded by the seller's own wallet, and recorded. */
async function byHand(seller: Visitor): Promise<void> {
  const { order } = buyer('sofia@kovalevskaya.example');
  await site.shop.sql`UPDATE shop.purchase SET rail = 'x402' WHERE id = ${order}`;
  seller.group = 'console-refund-by-hand';
  await seller.see(at(`payments/${order}`), 'form of a stablecoin payment');
  await seller.page.locator('#reference').fill('zzz');
  await seller.press('Review refund');
  await seller.shot('wrong transaction');
  await seller.page.locator('#amount').fill('0.75');
  await seller.page.locator('#reference').fill(`0x${'ab'.repeat(32)}`);
  await seller.press('Review refund');
  await seller.shot('review');
  await seller.page.locator('main form[method=post] button').first().click();
  await seller.shot('recorded');
}

test('a subscription is refunded and ended, and a renewal stays unpaid', async () => {
  const { shop } = site;
  const [lise, hedy] = [await subscribed('lise@meitner.example'), await subscribed('hedy@lamarr.example')];
  const seller = await Visitor.at(site);
  await seller.signIn();
  seller.group = 'console-subscription';
  await seller.see(at(`accounts/${lise.account}`), 'account with an active plan');
  await seller.see(at(`payments/${lise.order}`), 'purchase of a period');
  await seller.press('Review refund');
  await seller.shot('review of a refund that ends the plan');
  await seller.press(/^Refund /);
  await seller.shot('refunded and ended');
  await seller.see(at(`accounts/${lise.account}`), 'account whose plan was refunded');
  await shop.sql`UPDATE shop.subscription SET status = 'past_due', period_start = now() - interval '33 days', period_end = now() - interval '2 days' WHERE account_id = ${hedy.account}`;
  await seller.see(at(`accounts/${hedy.account}`), 'account with an unpaid renewal');
  seller.group = 'console-payments';
  await seller.see(at('payments?view=past-due'), 'unpaid renewals');
  await seller.leave();
});

test('the overview shows every task, and each leads to its list', async () => {
  const { shop, network } = site;
  const seller = await Visitor.at(site);
  await seller.signIn();
  seller.group = 'console-overview';
  await seller.shot('a month of sales');
  await seller.see(`${front}?days=7`, 'seven days');
  await seller.see(`${front}?days=90`, 'ninety days');
  const doubtful = await bought(site, 'katherine@johnson.example');
  const [payment] = await network.paymentsOf(doubtful.order);
  await shop.sql`INSERT INTO shop.fraud_signal (id, payment, kind, is_open, reason) VALUES ('issfr_1', ${payment?.id ?? ''}, 'early_fraud_warning', true, 'made_with_stolen_card')`;
  const agent = await Agent.registered(shop.url);
  const [stuck, unclear] = [await Agent.offer(agent), await Agent.offer(agent)];
  await shop.sql`UPDATE shop.purchase SET state = 'claimed', claimed_at = now() - interval '1 hour', claimed_by = 'ended' WHERE id = ANY(${[stuck.order, unclear.order]})`;
  await shop.sql`UPDATE shop.purchase SET unreconciled = 'Error: the processor has no payment of this order' WHERE id = ${unclear.order}`;
  await network.fault('GET /v1/payment_intents/:id', '500_before', 50);
  const asking = await bought(site, 'maria@mitchell.example');
  const path = `${shop.url}/purchases/${asking.order}/refund-request`;
  await Customer.call(asking, 'POST', path, { reason: 'The results were older than I need.' });
  await shop.sql`INSERT INTO shop.processor_event (id, type, attempts, failure, failed_at) VALUES ('evt_1', 'charge.dispute.created', 4, 'ProcessorAway: the processor did not answer', now())`;
  await shop.sql`INSERT INTO shop.mail (key, recipient, subject, body, state, attempts, expires_at) VALUES
    ('a', '', '', '', 'refused', 1, now()), ('b', 'grace@hopper.example', 'Your code', '', 'waiting', 5, now() + interval '1 hour')`;
  await shop.sql`INSERT INTO shop.uncountable_response VALUES (current_date, 'POST /v2/search/people', 'not_found', 'w', 3, now()), (current_date, 'POST /v2/jobs/search', 'above_hold', 'w', 2, now())`;
  await shop.sql`INSERT INTO ledger.writer VALUES ('writer-of-a-lost-machine', 1, true, 0, 0, now() - interval '20 seconds')`.catch(
    () => undefined,
  );
  for (let nth = 0; nth < 3; nth += 1)
    await Customer.call(asking, 'POST', `${shop.url}/v2/search/people`, { max_results: 1, gone: true });
  await seller.see(front, 'every kind of task');
  seller.group = 'console-payments';
  await seller.see(at('payments?view=flagged'), 'fraud warnings and reviews');
  await seller.see(at('payments?view=unfinished'), 'unfinished charges');
  await seller.see(at('payments?view=webhook-events'), 'failed webhook events');
  seller.group = 'console-purchase';
  await seller.see(at(`payments/${doubtful.order}`), 'with a fraud warning');
  await seller.see(at(`payments/${stuck.order}`), 'being charged');
  await seller.see(at(`payments/${(await Agent.offer(agent)).order}`), 'offered, not paid');
  await network.clearFaults();
  const won = await bought(site, 'rosalind@franklin.example');
  await disputed(site, won);
  const [lost] = (await network.stripe.disputes.list({ limit: 1 })).data;
  await network.stripe.disputes.close(lost?.id ?? '');
  const open = () =>
    shop.sql`SELECT 1 FROM shop.reversal WHERE purchase_id = ${won.order} AND status = 'lost'`;
  await vi.waitFor(async () => expect((await open()).length).toBe(1), 10_000);
  await seller.see(at(`payments/${won.order}`), 'with a lost dispute');
  seller.group = 'console-health';
  await seller.see(at('health'), 'problems of mail, processes and responses');
  await seller.leave();
});
