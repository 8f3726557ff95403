import { Dice } from './dice.ts';
import type { Act, Batch, Trouble } from './shop-acts.ts';
import { type Offered, ShopBuyer } from './shop-buyer.ts';
import * as Judge from './shop-judge.ts';
import type { World } from './shop-world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Sessions of a buyer last for 90 days. */
const passMsMax = 80 * dayMs;
/** Times after which work is complete: a slow payment arrives after four days, a page is open for 23 hours. */
const settlesMs = [30 * minuteMs, 3 * 60 * minuteMs, dayMs + 60 * minuteMs, 5 * dayMs];
const deliveryRoundsMax = 20;
/** Runs the histories of a batch, waits until everything is at rest, and returns all breaches that the judge finds. */
export async function live(
  world: World,
  { seed, buyers, troubles, passes: given }: Batch,
): Promise<string[]> {
  const sinceMs = world.nowMs();
  const dice = new Dice(seed);
  const all = buyers.map(() => new ShopBuyer(world, dice));
  await Promise.all(all.map((buyer, of) => (buyers[of]?.isAnonymous ? undefined : buyer.register())));
  const steps = Math.max(...buyers.map((one) => one.steps.length));
  let passedMs = 0;
  let isTroubled = false;
  for (let now = 0; now < steps; now += 1) {
    const befalls = troubles[now] ?? null;
    isTroubled ||= befalls !== null;
    await befall(world, befalls, dice);
    await Promise.all(
      all.map((buyer, of) =>
        Promise.all((buyers[of]?.steps[now]?.acts ?? []).map((one) => perform(world, buyer, one, sinceMs))),
      ),
    );
    await Promise.all(all.map((buyer) => buyer.findWayIn()));
    const ms = given[now] ?? 0;
    if (ms === 0 || passedMs + ms > passMsMax) continue;
    passedMs += ms;
    await world.advance(ms);
    await Promise.all(world.processes.map((one) => one.chores(true)));
    await Promise.all(all.map((buyer) => buyer.findWayIn()));
  }
  await rest(world, all);
  const found = await Judge.judgeAll(world, all, {
    sinceMs,
    isExact: passedMs < 60 * minuteMs && !isTroubled,
  });
  await Judge.endSubscriptions(world, sinceMs);
  return found;
}

async function befall({ network }: World, it: Trouble, dice: Dice): Promise<void> {
  if (it === null) return;
  if ('route' in it) return void (await network.fault(it.route, it.fault, it.times));
  switch (it.kind) {
    case 'duplicate':
      return void (await network.control('/webhooks/duplicate', { copies: 1 }));
    case 'deliver-shuffled':
      return void (await network.control('/webhooks/deliver-shuffled', { seed: dice.int(1_000) }));
    case 'drop': {
      await network.control('/webhooks/pause');
      for (const event of await network.waiting())
        if (dice.chance(0.4)) await network.control('/webhooks/drop', { event }).catch(() => undefined);
      return;
    }
    default:
      await network.control(`/webhooks/${it.kind}`);
  }
}

/** Stops all faults, and completes everything that is open. */
async function rest(world: World, buyers: readonly ShopBuyer[]): Promise<void> {
  const { network } = world;
  await network.clearFaults();
  await network.control('/webhooks/duplicate', { copies: 0 });
  await network.control('/webhooks/resume');
  for (const ms of [0, ...settlesMs]) {
    await world.advance(ms);
    await deliver(world);
    for (const one of world.processes) await one.chores(false);
    await deliver(world);
    await Promise.all(buyers.map((buyer) => buyer.findWayIn()));
  }
  // The seller's command finds the facts of lost webhook events.
  await Judge.repair(world);
  await deliver(world);
  for (const one of world.processes) await one.chores(false);
}

async function deliver({ network }: World): Promise<void> {
  for (let round = 0; round < deliveryRoundsMax; round += 1) {
    if ((await network.waiting()).length === 0) return;
    await network.control('/webhooks/deliver-in-reverse');
  }
  throw new Error('notices are not taken');
}

async function perform(world: World, buyer: ShopBuyer, one: Act, sinceMs: number): Promise<void> {
  const { network } = world;
  buyer.steps += 1;
  switch (one.does) {
    case 'buy': {
      const body = {
        ...(one.plan === 'credit' && { amount_usd: (one.cents / 100).toFixed(2) }),
        ...(one.returnUrl !== null && { return_url: one.returnUrl }),
      };
      if (one.how === 'coin') return buyer.payByCoin(one.at, one.plan, body, one.returnUrl !== null);
      const offer =
        (await buyer.ask(one.at, one.plan, body)) ??
        // Without an account the page itself shows the tokens, so the shop accepts no return URL.
        (await buyer.ask(one.at, one.plan, { ...body, return_url: undefined }));
      return payBy(buyer, offer, one.how, one.at);
    }
    case 'upgrade': {
      const [plan, replaces] = one.step;
      const offer = await buyer.ask(one.at, plan, { replaces });
      if (one.between > 0) await buyer.use(one.at, one.between);
      return payBy(buyer, offer, one.how, one.at);
    }
    case 'subscribe': {
      const pages: string[] = [];
      for (let page = 0; page < one.pages; page += 1) {
        const offer = await buyer.ask(one.at, one.plan, {});
        const opened = offer && (await buyer.openPage(offer));
        if (opened) pages.push(opened);
      }
      for (const page of pages) await buyer.payPage(page, 'card', true);
      return;
    }
    case 'change': {
      if (one.fault === 'delay_before') await network.fault('POST /v1/subscriptions/:id', one.fault, 1, 150);
      else if (one.fault !== null)
        await network.fault('POST /v1/subscriptions/:id', one.fault, one.fault === 'lock_timeout' ? 1 : 3);
      const changing = buyer.decide(one.at, one.step[0], 'change', one.step[1]);
      if (one.meanwhile > 0) await buyer.use(1 - one.at, one.meanwhile);
      await changing;
      return;
    }
    case 'cancel':
    case 'resume':
      await buyer.decide(one.at, one.plan, one.does);
      return;
    case 'pay': {
      const offer = nth(buyer.offers, one.which);
      if (offer) await buyer.pay(one.at, offer, one.card);
      return;
    }
    case 'page': {
      const offer = nth(buyer.offers, one.which);
      const page = offer && (await buyer.openPage(offer));
      if (page) await buyer.payPage(page, one.how, one.comesBack);
      return;
    }
    case 'use':
      return buyer.use(one.at, one.units);
    case 'reverse':
      return reverse(world, buyer, one, sinceMs);
    case 'decide dispute':
      return decideDispute(world, buyer, one.isWon, sinceMs);
    case 'lose card':
      return loseCard(world, buyer, sinceMs);
    case 'top up':
      return buyer.topUp(one.at, one.amountUsd, one.isAgreed);
    case 'join':
      return buyer.join();
    case 'chores':
      return world.processes[one.at === 0 ? 0 : 1].chores(true);
  }
}

async function payBy(buyer: ShopBuyer, offer: Offered | null, how: string, where: number): Promise<void> {
  if (offer === null || how === 'offer') return;
  if (how === 'token') return buyer.pay(where, offer, 'pm_card_visa');
  const page = await buyer.openPage(offer);
  if (how === 'both') await buyer.pay(where, offer, 'pm_card_visa');
  if (page) await buyer.payPage(page, 'card', true);
}

type Reverse = Extract<Act, { does: 'reverse' }>;
async function reverse(world: World, buyer: ShopBuyer, one: Reverse, sinceMs: number): Promise<void> {
  const { network } = world;
  const paid = (await Judge.paymentsOf(world, buyer, sinceMs)).filter(({ status }) => status === 'succeeded');
  const payment = nth(paid, one.which);
  if (!payment) return;
  const amount = Math.max(1, Math.floor((payment.amount_received * one.percent) / 100));
  const done =
    one.kind === 'refund'
      ? network.stripe.refunds.create({ payment_intent: payment.id, amount })
      : network.control('/disputes', { payment_intent: payment.id, amount });
  // The card network refuses a refund of more than the rest of the payment.
  await done.catch(() => undefined);
}

async function decideDispute(world: World, buyer: ShopBuyer, isWon: boolean, sinceMs: number): Promise<void> {
  const { stripe } = world.network;
  const ours = new Set((await Judge.paymentsOf(world, buyer, sinceMs)).map(({ id }) => id));
  const { data } = await stripe.disputes.list({ limit: 100 });
  const open = data.find(
    ({ status, payment_intent }) => status === 'needs_response' && ours.has(String(payment_intent)),
  );
  if (!open) return;
  const evidence = { uncategorized_text: isWon ? 'winning_evidence' : 'losing_evidence' };
  await stripe.disputes.update(open.id, { evidence });
}

async function loseCard(world: World, buyer: ShopBuyer, sinceMs: number): Promise<void> {
  const { stripe } = world.network;
  const live = await Judge.subscriptionsOf(world, buyer, sinceMs);
  for (const { id, customer } of live) {
    const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: String(customer),
    });
    await stripe.subscriptions.update(id, { default_payment_method: failing.id }).catch(() => undefined);
  }
}

function nth<T>(all: readonly T[], fromLast: number): T | undefined {
  return all[all.length - 1 - (fromLast % Math.max(1, all.length))];
}
