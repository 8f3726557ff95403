import { sha256Hex } from '@sluice/kernel/digest';
import { secret } from '@sluice/kernel/id';
import type { BillingDetails } from '../payment/billing-details.ts';
import { isSlow, type Order, ownAccount } from '../payment/order.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import { type Checkout, CheckoutMismatch, ProcessorUnavailable } from '../payment/processor.ts';
import * as CardTesting from './card-testing.ts';
import { settle } from './grant-order.ts';
import * as PageAddress from './page-address.ts';
import * as PlanChange from './plan-change.ts';
import * as Renewal from './renewal.ts';

export type Opener = PageAddress.Opener;

export type CheckoutResult =
  | { kind: 'redirect'; url: string }
  /** The page belongs to another browser; `replace` would close that page. */
  | { kind: 'elsewhere' }
  | { kind: 'paid' }
  /** A charge for the order, or a slow payment on its page, is in progress. */
  | { kind: 'pending'; isSlow: boolean }
  | { kind: 'gone' }
  | { kind: 'away' }
  /** The account or address opens too many pages, or has too many declines. */
  | { kind: 'limited'; waitMs: number }
  /** The plan already renews for the account of the order. */
  | { kind: 'subscribed' }
  /** The account of the order is frozen, so it could not use what is paid. */
  | { kind: 'frozen' }
  /** The account of the order is closed, and its owner erased. */
  | { kind: 'closed' }
  | { kind: 'unknown' };

/** Creates a secret that identifies a browser which was sent to a hosted page. */
export const newBrowser = () => secret('scb');

/** Returns a secret that `newBrowser` made, or null. */
export function readBrowser(kept: string | null): string | null {
  return kept !== null && /^scb_[\w-]{43}$/.test(kept) ? kept : null;
}

const digest = sha256Hex;

/** Returns true for the browser that the hosted page of the order was opened for last. */
export function isPageOf({ pageBrowser }: Pick<Order, 'pageBrowser'>, browser: string): boolean {
  return pageBrowser === digest(browser);
}

/**
 * Opens the hosted page of an unpaid order. The page is made on the first request, and again after it has closed unpaid. It belongs to one
 * browser, so that other people with the link cannot take the payer's place. Another browser gets a page of its own once the first one is
 * closed.
 * @param browser its secret is stored as a digest
 * @param replaces true to close a page of another browser
 * @param address the block of the client's address
 */
export async function openCheckout(
  shop: CheckoutContext,
  orderId: string,
  browser: Opener,
  replaces: boolean,
  address: string,
): Promise<CheckoutResult> {
  const order = await shop.orders.find(orderId);
  if (!order) return { kind: 'unknown' };
  if (order.state === 'granted') return { kind: 'paid' };
  if (order.state === 'claimed') return { kind: 'pending', isSlow: isSlow(order) };
  try {
    const obstacle = await obstacleOf(shop, order);
    if (obstacle !== null)
      return (await close(shop, order)) ? { kind: obstacle } : await currentState(shop, order.id, null);
    // A page that is open already was counted, and stays reachable for its browser.
    const number = order.pagesClosed + (replaces && order.checkoutSession !== null ? 1 : 0);
    const delay = await CardTesting.beginPage(
      shop,
      { order: order.id, number },
      { account: order.account, address },
    );
    if (delay !== null) return { kind: 'limited', waitMs: delay.waitMs };
    return order.pageBrowser === null || order.pageBrowser === digest(browser.secret)
      ? await openOwn(shop, order, browser)
      : replaces
        ? await replace(shop, order, browser)
        : { kind: 'elsewhere' };
  } catch (fault) {
    if (fault instanceof ProcessorUnavailable) return { kind: 'away' };
    throw fault;
  }
}

/** Returns why an order must not be paid; null when it may. */
async function obstacleOf(
  shop: Pick<PaymentContext, 'orders' | 'subscriptions'>,
  order: Order,
): Promise<'frozen' | 'closed' | 'subscribed' | null> {
  return (await shop.orders.barOf(order.id)) ?? ((await isSubscribed(shop, order)) ? 'subscribed' : null);
}

/** Returns true when another order of the account already renews the plan of this order. */
async function isSubscribed(
  shop: Pick<PaymentContext, 'subscriptions'>,
  { account, period, plan }: Order,
): Promise<boolean> {
  if (account === null || period === null || period.terms.replaces) return false;
  return Renewal.renews(shop, account, plan);
}

async function openOwn(shop: CheckoutContext, order: Order, browser: Opener): Promise<CheckoutResult> {
  // Another tab of this browser may open the page at the same time. Both request the same page, by its number.
  const page = await shop.orders.takePage(order.id, digest(browser.secret), null);
  if (page === null) return currentState(shop, order.id, null);
  if (order.checkoutSession === null || order.pagesClosed !== page)
    return makePage(shop, order, page, browser);
  const checkout = await shop.processor.readCheckout(order.checkoutSession);
  if (checkout.url === null) return afterClosed(shop, order, checkout, browser);
  // The person whose address the page shows may have signed out here since.
  return PageAddress.isOfOther(checkout, order, browser)
    ? replace(shop, order, browser)
    : { kind: 'redirect', url: checkout.url };
}

/** Closes the open page first, because two open pages of one order could both be paid. */
async function replace(shop: CheckoutContext, order: Order, browser: Opener): Promise<CheckoutResult> {
  if (order.checkoutSession === null) return renew(shop, order, browser);
  const checkout = await shop.processor.closeCheckout(order.checkoutSession);
  return afterClosed(shop, order, checkout, browser);
}

/**
 * Records the payment on a closed page. When there was none, `browser` gets another page, unless one was opened meanwhile: a page that
 * this request has not closed is never dropped.
 */
async function afterClosed(
  shop: CheckoutContext,
  order: Order,
  checkout: Checkout,
  browser: Opener,
): Promise<CheckoutResult> {
  await complete(shop, checkout);
  if (checkout.state === 'paid') return { kind: 'paid' };
  if (checkout.state === 'processing') return { kind: 'pending', isSlow: true };
  const now = await shop.orders.find(order.id);
  if (now?.state !== 'offered' && now?.state !== 'declined') return currentState(shop, order.id, null);
  // A page may be about to open for another browser, which must not lose it, or for another tab of this browser.
  const isTaken = now.checkoutSession === null && now.pageBrowser !== digest(browser.secret);
  return isTaken || now.checkoutSession === checkout.session
    ? renew(shop, now, browser)
    : currentState(shop, order.id, browser);
}

/** Opens the next page of an order whose page, if any, is known to be closed. */
async function renew(shop: CheckoutContext, order: Order, browser: Opener): Promise<CheckoutResult> {
  if (order.expiresMs <= shop.clock()) return { kind: 'gone' };
  const page = await shop.orders.takePage(order.id, digest(browser.secret), order);
  return page === null ? currentState(shop, order.id, browser) : makePage(shop, order, page, browser);
}

/** Returns why no page can be opened for the order in its current state, or redirects to the page that another tab of `browser` has opened. */
async function currentState(
  shop: CheckoutContext,
  orderId: string,
  browser: Opener | null,
): Promise<CheckoutResult> {
  const now = await shop.orders.find(orderId);
  if (now?.state === 'granted') return { kind: 'paid' };
  if (now?.state === 'claimed') return { kind: 'pending', isSlow: isSlow(now) };
  // The offer was removed meanwhile.
  if (!now) return { kind: 'unknown' };
  if (browser === null || now.pageBrowser !== digest(browser.secret)) return { kind: 'elsewhere' };
  if (now.checkoutSession === null) return makePage(shop, now, now.pagesClosed, browser);
  const checkout = await shop.processor.readCheckout(now.checkoutSession);
  if (checkout.url === null || PageAddress.isOfOther(checkout, now, browser)) return { kind: 'elsewhere' };
  return { kind: 'redirect', url: checkout.url };
}

/** The address after a cancelled payment: that of the buyer's own site, or else a page that says so. */
function cancelUrl({ publicUrl }: Pick<CheckoutContext, 'publicUrl'>, { id, returnUrl }: Order): string {
  const isElsewhere = returnUrl !== null && !returnUrl.startsWith(`${publicUrl}/`);
  return isElsewhere ? returnUrl : `${publicUrl}/purchases/${id}/cancelled`;
}

async function makePage(
  shop: CheckoutContext,
  order: Order,
  page: number,
  browser: Opener,
): Promise<CheckoutResult> {
  if (order.expiresMs <= shop.clock()) return { kind: 'gone' };
  const plan = shop.catalog.plans.find((candidate) => candidate.id === order.plan);
  const numbered = { ...order, pagesClosed: page };
  const checkout = await shop.processor
    .openCheckout(numbered, {
      title: `${plan?.name ?? order.plan} at ${shop.catalog.storefront.name}`,
      product: PlanChange.productOf(shop, plan?.name ?? order.plan),
      success: `${shop.publicUrl}/purchases/${order.id}/return?session={CHECKOUT_SESSION_ID}`,
      isTaxed: shop.isTaxed,
      email: PageAddress.shownTo(order, browser),
      cancel: cancelUrl(shop, order),
    })
    .catch((fault: unknown) => {
      if (fault instanceof CheckoutMismatch) return null;
      throw fault;
    });
  // An earlier request for this page had other facts, such as the e-mail address of another account, and its response was lost.
  if (checkout === null) return renew(shop, { ...numbered, checkoutSession: null }, browser);
  if (await shop.orders.attachPage(order.id, checkout.session, page))
    return checkout.url === null ? { kind: 'gone' } : { kind: 'redirect', url: checkout.url };
  // Meanwhile a credential has claimed the order, or another browser has taken over, so this page must not be paid later. If another tab
  // has opened the same page and paid, that payment counts and the page remains the order's page.
  await close(shop, { ...order, checkoutSession: checkout.session, pagesClosed: page });
  return currentState(shop, order.id, null);
}

/**
 * Closes the hosted page of an order before it is charged in another way, so that it cannot be paid twice. Returns false when the page
 * was paid first, or a payment on it is in progress: then the order must not be charged. Rejects with ProcessorUnavailable.
 */
export async function close(shop: PaymentContext, order: Order): Promise<boolean> {
  if (order.checkoutSession === null) return true;
  const checkout = await shop.processor.closeCheckout(order.checkoutSession);
  if (checkout.state === 'paid' || checkout.state === 'processing') {
    await complete(shop, checkout);
    return false;
  }
  await shop.orders.retirePage(order);
  return true;
}

export type ReturnResult =
  | { kind: 'paid'; order: Order; account: string; isPayer: boolean }
  | { kind: 'pending'; isSlow: boolean }
  | { kind: 'unknown' };

/**
 * Handles the buyer's return from the hosted page, which can precede the webhook event; both lead to the same step. `isPayer`: the page was
 * opened for this browser. The session id is no evidence of that, because it is part of the hosted page's URL.
 */
export async function comeBack(
  shop: PaymentContext,
  orderId: string,
  session: string,
  browser: string | null,
): Promise<ReturnResult> {
  const order = await shop.orders.find(orderId);
  if (!order || order.checkoutSession === null || order.checkoutSession !== session)
    return { kind: 'unknown' };
  try {
    const account = await complete(shop, await shop.processor.readCheckout(session));
    if (account === null)
      return { kind: 'pending', isSlow: isSlow((await shop.orders.find(orderId)) ?? order) };
    const isPayer = browser !== null && order.pageBrowser === digest(browser);
    return { kind: 'paid', order: { ...order, account }, account, isPayer };
  } catch (fault) {
    if (fault instanceof ProcessorUnavailable) return { kind: 'pending', isSlow: isSlow(order) };
    throw fault;
  }
}

const notArrived = 'The payment did not arrive because the bank rejected it.';

/**
 * Records the state of a hosted page: its payment, a payment that takes days, or the failure of one. Safe to repeat.
 * Returns the account when it was paid.
 */
export async function complete(
  shop: PaymentContext,
  { session, order: orderId, state, payment, invoice, buyer = null }: Checkout,
): Promise<string | null> {
  const before = buyer === null || orderId === null ? null : await shop.orders.find(orderId);
  const account = await record();
  // Only with the grant: details that the account removes later must not come back when the payment is read again.
  if (buyer !== null && account !== null && before !== null && before.state !== 'granted')
    await keepBuyer(shop, before, account, buyer);
  return account;

  async function record(): Promise<string | null> {
    if (invoice) return Renewal.book(shop, invoice);
    if (orderId === null) return null;
    if (state === 'processing') await shop.orders.claimByPage(orderId, session);
    if (state === 'failed') await shop.orders.declinePage(orderId, session, notArrived);
    if (payment === null) return null;
    const order = await shop.orders.find(orderId);
    return order ? settle(shop, order, payment) : null;
  }
}

/**
 * Keeps the company that a payer entered on the card page for the receipts of their account. The payer of another person's account, who got
 * a payment link, is not shown to that person.
 */
async function keepBuyer(
  { orders }: Pick<PaymentContext, 'orders'>,
  order: Order,
  account: string,
  buyer: BillingDetails,
): Promise<void> {
  if (order.returnUrl !== null || account === ownAccount(order)) await orders.keepBuyer(account, buyer);
}
