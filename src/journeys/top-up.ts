import type { CreditPlan } from '../catalog/plan.ts';
import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import type { SavedCard } from '../payment/saved-card.ts';
import type * as TopUp from '../payment/top-up.ts';
import type { Counter, Till } from './settlement.ts';
import * as Taking from './taking.ts';

/** So many accounts are charged beside each other. */
const beside = 8;

/** What a till needs beside itself to charge cards that it keeps. */
export type TopUpTill = Till & { readonly topUps: TopUp.TopUps };

/**
 * Charges the cards of accounts whose credit has run low, and asks again for charges whose answer was lost, under their own
 * names. Any process may do so at any time: one need is charged once.
 */
export async function run(shop: TopUpTill): Promise<void> {
  await each(await shop.topUps.due(), async (account) => {
    const order = await shop.topUps.claim(account);
    if (order) await Taking.charge(shop, attempt(shop, order));
  });
  await each(await shop.topUps.inDoubt(), async (order) => {
    const { orderId, challengeId, credentialDigest } = attempt(shop, order);
    const { standing } = await shop.orders.claim(orderId, challengeId, credentialDigest);
    if (standing === 'claimed') await Taking.charge(shop, attempt(shop, order));
  });
}

function attempt(shop: Till, { id, challengeId, savedCard }: Order): Taking.Attempt {
  if (challengeId === null || savedCard === null) throw new Error(`order ${id} is no top-up`);
  return {
    orderId: id,
    challengeId,
    credentialDigest: challengeId,
    // Nobody has typed a card in: its decline ends the top-ups, and counts against no buyer.
    subjects: [],
    charge: (order) => shop.processor.chargeSaved(order, challengeId, savedCard),
  };
}

/** Does it to all, a few at a time; the first fault is thrown when all are done. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += beside) {
    const outcomes = await Promise.allSettled(all.slice(at, at + beside).map(work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

export type Changed =
  | { kind: 'done'; topUp: TopUp.TopUp | null }
  /** No payment of this account has left a card that may be charged. */
  | { kind: 'no_card' };

/** Agrees to top-ups, by the card of the account's last payment on a page, or ends them. */
export async function change(
  shop: Counter & TopUpTill,
  account: string,
  plan: CreditPlan,
  terms: TopUp.Terms | null,
): Promise<Changed> {
  if (terms === null) await shop.topUps.end(account);
  else {
    const card = await cardOf(shop, account);
    if (card === null) return { kind: 'no_card' };
    await shop.topUps.agree(account, plan.id, terms, card);
  }
  return { kind: 'done', topUp: await shop.topUps.of(account) };
}

async function cardOf(shop: TopUpTill, account: string): Promise<SavedCard | null> {
  for (const { payment } of await shop.topUps.paidOnPages(account)) {
    const card = payment === null ? null : await shop.processor.savedCard(payment);
    if (card) return card;
  }
  return null;
}

/** The plan that a top-up buys; null where the shop sells no credit. */
export function planOf(shop: Pick<Counter, 'catalog'>): CreditPlan | null {
  return shop.catalog.plans.find((plan) => plan.kind === 'credit') ?? null;
}

/** Top-ups as their account is told of them. */
export function shown(topUp: TopUp.TopUp | null): Record<string, unknown> {
  if (topUp === null) return { state: 'off' };
  const { state, reason, below, amount, monthlyMax, card, chargedThisMonth } = topUp;
  return {
    state,
    ...(state === 'stopped' && { reason }),
    below_usd: Money.format(below),
    amount_usd: Money.format(amount),
    monthly_max_usd: Money.format(monthlyMax),
    charged_this_month_usd: Money.format(chargedThisMonth),
    card: { brand: card.brand, last4: card.last4 },
  };
}
