import { beforeAll, expect, test, vi } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Customer from '../support/customer.ts';
import { at, type Buyer, bought, disputed, front, history, names, openSite } from './history.ts';
import type { Studio } from './studio.ts';
import type { Visitor } from './visitor.ts';

let site: Studio;
let buyers: Map<string, Buyer>;
let seller: Visitor;
beforeAll(async () => {
  site = await openSite();
  buyers = await history(site);
  seller = await site.seller('console-payments');
  return () => site.close();
});

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

test('payments are listed and opened', async () => {
  const [list, one] = [seller.in('console-payments'), seller.in('console-purchase')];
  await list.see(at('payments'), 'all, full');
  await list.shot('all filters open', () => list.unfold('More filters'));
  await list.submit(null, { Status: 'disputed' }, 'Filter', 'filtered by disputed');
  await list.visits({
    'filtered by method and day': at('payments?rail=x402&from=2020-01-01'),
    'filter without a match': at('payments?q=none@example.com'),
    declined: at('payments?state=declined'),
    'refund requests': at('payments?view=requests'),
    'refunds and disputes': at('payments?view=returned'),
  });
  const [declined] = await site.shop.sql<
    { id: string }[]
  >`SELECT id FROM shop.purchase WHERE state = 'declined'`;
  await one.visits({
    'paid by an agent': purchase(names[0]),
    declined: at(`payments/${declined?.id}`),
    disputed: purchase('emmy@noether.example'),
  });
});

test('payments are refunded, and requests for it declined', async () => {
  const [refund, request] = [seller.in('console-refund'), seller.in('console-refund-request')];
  const review = 'Review refund';
  await refund.submit(purchase(names[0]), { '#amount': '99.00' }, review, 'more than was paid');
  await refund.submit(null, { '#amount': '1.50' }, review, 'review of a part');
  const reviewed = refund.page.url();
  await refund.shot('a part refunded', () => refund.press('Refund 1.50 USD'));
  await refund.see(reviewed, 'review of a refund that was made already');
  await refund.submit(purchase(names[0]), {}, review, 'review of the rest, a part of it spent');
  await site.network.fault('POST /v1/refunds', '500_before', 20);
  await refund.shot('outcome not known, the processor fails', () => refund.press(/^Refund /));
  await site.network.clearFaults();
  await refund.submit(purchase(names[0]), {}, 'Send the same refund again', 'all refunded');
  await request.see(purchase(names[2]), 'open request');
  await request.submit(null, {}, 'Decline', 'declined without a reason');
  await request.submit(purchase(names[2]), {}, review, 'review of the answer');
  const answer = { '#reason': 'Most of it was used. Write to us if a call failed.' };
  await request.submit(purchase(names[2]), answer, 'Decline', 'declined with a reason');
});

test('a bank asks about a payment, a payment is in review, and a refund is pending', async () => {
  const [one, refund] = [seller.in('console-purchase'), seller.in('console-refund')];
  const inquiry = await bought(site, 'chien@shiung.example', '8.00', 'pm_card_createDisputeInquiry');
  const review = await bought(site, 'dorothy@hodgkin.example', '11.00', 'pm_card_riskLevelElevated');
  const pending = await bought(site, 'barbara@mcclintock.example', '5.00', 'pm_card_pendingRefund');
  const waits = () => site.shop.sql`SELECT 1 FROM shop.reversal WHERE purchase_id = ${inquiry.order}
    UNION ALL SELECT 1 FROM shop.fraud_signal f JOIN shop.purchase p ON p.payment = f.payment WHERE p.id = ${review.order}`;
  await vi.waitFor(async () => expect((await waits()).length).toBe(2), 20_000);
  await one.visits({
    'with an inquiry': at(`payments/${inquiry.order}`),
    'in review': at(`payments/${review.order}`),
  });
  await seller.in('console-account').see(at(`accounts/${inquiry.account}`), 'with an inquiry');
  await seller.in('console-payments').see(at('payments?view=returned'), 'with an inquiry');
  await refund.submit(at(`payments/${inquiry.order}`), {}, 'Review refund', 'review that ends an inquiry');
  await refund.submit(
    at(`payments/${pending.order}`),
    { '#amount': '2.00' },
    'Review refund',
    'review of a slow refund',
  );
  await refund.shot('pending at the processor', () => refund.press('Refund 2.00 USD'));
});

test('a stablecoin refund, which the wallet of the seller sent, is recorded', async () => {
  const { order } = buyer('sofia@kovalevskaya.example');
  const usdc = { version: 2, network: 'eip155:8453', asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' };
  const signed = { ...usdc, from: '0x52908400098527886E0F7030069857D2E4169EE7' };
  await site.shop
    .sql`UPDATE shop.purchase SET rail = 'x402', signed_payment = ${site.shop.sql.json(signed)}, transaction = ${`0x${'cd'.repeat(32)}`} WHERE id = ${order}`;
  const record = seller.in('console-refund-by-hand');
  await record.see(at(`payments/${order}`), 'form of a stablecoin payment');
  await record.submit(null, { '#reference': 'zzz' }, 'Review the record', 'wrong transaction');
  const sent = { '#amount': '0.75', '#reference': `0x${'ab'.repeat(32)}` };
  await record.submit(null, sent, 'Review the record', 'review');
  await record.shot('recorded', () => record.page.locator('main form[method=post] button').first().click());
});

test('a subscription is refunded and ended, and a renewal stays unpaid', async () => {
  const [lise, hedy] = [await subscribed('lise@meitner.example'), await subscribed('hedy@lamarr.example')];
  const plan = seller.in('console-subscription');
  await plan.see(at(`accounts/${lise.account}`), 'account with an active plan');
  await plan.see(at(`payments/${lise.order}`), 'purchase of a period');
  await plan.submit(null, {}, 'Review refund', 'review of a refund that ends the plan');
  await plan.shot('refunded and ended', () => plan.press(/^Refund /));
  await plan.see(at(`accounts/${lise.account}`), 'account whose plan was refunded');
  await site.shop
    .sql`UPDATE shop.subscription SET status = 'past_due', period_start = now() - interval '33 days', period_end = now() - interval '2 days' WHERE account_id = ${hedy.account}`;
  await site.shop
    .sql`UPDATE shop.purchase p SET period_start = s.period_start, period_end = s.period_end FROM shop.subscription s WHERE s.id = p.subscription_id AND p.account_id = ${hedy.account}`;
  await site.shop
    .sql`SELECT shop.update_allowance_ends(id) FROM shop.subscription WHERE account_id = ${hedy.account}`;
  await plan.see(at(`accounts/${hedy.account}`), 'account with an unpaid renewal');
  await seller.in('console-payments').see(at('payments?view=past-due'), 'unpaid renewals');
  const ida = await subscribed('ida@rhodes.example');
  await site.shop.sql`UPDATE shop.account SET email = NULL, claimed_at = NULL WHERE id = ${ida.account}`;
  await plan.see(at('accounts?kind=paying'), 'account without a confirmed email, in the list');
  await plan.see(at(`accounts/${ida.account}`), 'account without a confirmed email');
  await plan.see(at(`accounts/${ida.account}/freeze`), 'question before freezing an account with a plan');
  const reason = { 'Reason, for the audit log': 'A stolen card' };
  await plan.submit(null, reason, 'Freeze account', 'frozen account that is still charged');
  await plan.shot('question before a plan is cancelled', () => plan.follow('Cancel plan'));
  await plan.shot('cancelled', () => plan.press('Cancel plan'));
});

test('the overview shows every task, and each leads to its list', async () => {
  const { shop, network } = site;
  const [overview, one] = [seller.in('console-overview'), seller.in('console-purchase')];
  await overview.visits({
    'a month of sales': front,
    'seven days': `${front}?days=7`,
    'ninety days': `${front}?days=90`,
  });
  const doubtful = await bought(site, 'katherine@johnson.example');
  const [payment] = await network.paymentsOf(doubtful.order);
  await shop.sql`INSERT INTO shop.fraud_signal (id, payment, kind, is_open, reason) VALUES ('issfr_1', ${payment?.id ?? ''}, 'early_fraud_warning', true, 'made_with_stolen_card')`;
  const agent = await Agent.registered(shop.url);
  const [stuck, unclear] = [await Agent.offer(agent), await Agent.offer(agent)];
  await shop.sql`UPDATE shop.purchase SET state = 'claimed', claimed_at = now() - interval '1 hour', claimed_by = 'ended' WHERE id = ANY(${[stuck.order, unclear.order]})`;
  await shop.sql`UPDATE shop.purchase SET unreconciled = 'Error: the processor has no payment of this order' WHERE id = ${unclear.order}`;
  await network.fault('GET /v1/payment_intents/:id', '500_before', 50);
  // A process of the shop is charging it, and the bank of another buyer takes days.
  const charging = async () => {
    await shop.sql`UPDATE shop.purchase SET state = 'claimed', claimed_at = now() - interval '1 hour', failure = NULL, claimed_by = 'ended', unreconciled = 'Error: the processor has no payment of this order' WHERE id = ${unclear.order}`;
    await shop.sql`UPDATE shop.purchase SET state = 'claimed', claimed_at = now(), failure = NULL, claimed_by = (SELECT id || '#' || epoch FROM ledger.writer WHERE open LIMIT 1) WHERE id = ${stuck.order}`;
  };
  const slow = await Agent.offer(agent);
  await shop.sql`UPDATE shop.purchase SET state = 'claimed', checkout_session = 'cs_slow', page_read_at = now() WHERE id = ${slow.order}`;
  const asking = await bought(site, 'maria@mitchell.example');
  const path = `${shop.url}/purchases/${asking.order}/refund-request`;
  await Customer.call(asking, 'POST', path, { reason: 'The results were older than I need.' });
  await shop.sql`INSERT INTO shop.processor_event (id, type, attempts, failure, failed_at) VALUES ('evt_1', 'charge.dispute.created', 4, 'ProcessorAway: the processor did not answer', now())`;
  await shop.sql`INSERT INTO shop.mail (key, recipient, subject, body, state, attempts, expires_at) VALUES
    ('a', '', '', '', 'refused', 1, now()), ('b', 'grace@hopper.example', 'Your code', '', 'waiting', 5, now() + interval '1 hour')`;
  await shop.sql`INSERT INTO shop.uncountable_response VALUES (current_date, 'POST /v2/search/people', 'missing', 'w', 3, now()), (current_date, 'POST /v2/jobs/search', 'above_hold', 'w', 2, now())`;
  await shop.sql`INSERT INTO ledger.writer VALUES ('writer-of-a-lost-machine', 1, true, 0, 0, now() - interval '20 seconds')`.catch(
    () => undefined,
  );
  for (let nth = 0; nth < 3; nth += 1)
    await Customer.call(asking, 'POST', `${shop.url}/v2/search/people`, { max_results: 1, gone: true });
  await overview.see(front, 'every kind of task');
  await charging();
  await seller.in('console-payments').visits({
    'fraud warnings and reviews': at('payments?view=flagged'),
    'unfinished charges': at('payments?view=unfinished'),
    'failed webhook events': at('payments?view=webhook-events'),
  });
  await charging();
  await one.see(at(`payments/${stuck.order}`), 'being charged');
  await charging();
  await one.see(at(`payments/${unclear.order}`), 'failed before the charge');
  await one.visits({
    'with a fraud warning': at(`payments/${doubtful.order}`),
    'paid by a slow bank': at(`payments/${slow.order}`),
    'offered, not paid': at(`payments/${(await Agent.offer(agent)).order}`),
  });
  await network.clearFaults();
  const contested = await bought(site, 'rosalind@franklin.example');
  await disputed(site, contested);
  const [lost] = (await network.stripe.disputes.list({ limit: 1 })).data;
  await network.stripe.disputes.close(lost?.id ?? '');
  const closed = () =>
    shop.sql`SELECT 1 FROM shop.reversal WHERE purchase_id = ${contested.order} AND status = 'lost'`;
  await vi.waitFor(async () => expect((await closed()).length).toBe(1), 10_000);
  await one.see(at(`payments/${contested.order}`), 'with a lost dispute');
  await seller.in('console-health').see(at('health'), 'problems of mail and responses');
});
