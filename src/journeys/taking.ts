import type * as Order from '../payment/order.ts';
import type { ChargeOutcome } from '../payment/processor.ts';
import * as Receipt from '../payment/receipt.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import { settle, type Till } from './settlement.ts';

/** Card testing: after so many declines within the window, an account or address has to wait. */
const declinesMax = 5;
const declineWindowMs = 10 * 60_000;
/** How long a repeated credential waits for the one under way, and how often it looks. */
const companionWaitMs = 10_000;
const companionLookMs = 100;

export type Granted = Order.Order & { account: string; payment: string; grantedMs: number };

/** What taking an order has come to. Once money has moved it is never `declined`. */
export type Taken =
  /** `own`: asked by the credential that the order belongs to, which may have the account's tokens. */
  | { kind: 'granted'; order: Granted; receipt: string; own: boolean }
  /** The outcome is not known yet; the notice or the reconciler will finish it. */
  | { kind: 'pending'; order: Order.Order }
  | { kind: 'declined'; reason: string };

/** Who a decline counts against. */
export function subjectsOf({ address, account }: { address: string; account: string | null }): string[] {
  return [`address:${address}`, ...(account === null ? [] : [`account:${account}`])];
}

/** How long they have to wait before another try; null where they need not. */
export async function declineWait(shop: Till, subjects: readonly string[]): Promise<number | null> {
  const nowMs = shop.clock();
  const declinedMs = await shop.orders.nthDecline(subjects, declinesMax, nowMs - declineWindowMs);
  return declinedMs === null ? null : declinedMs + declineWindowMs - nowMs;
}

/** A way to charge an order, under a name that it can be charged by once. */
export type Attempt = {
  orderId: string;
  /** The challenge, or what else may be paid once. */
  challengeId: string;
  /** Of the whole credential: who sends it again is answered as the first time. */
  credentialDigest: string;
  /** Who a decline counts against. */
  subjects: readonly string[];
  /** May be repeated, and charges once. */
  charge(order: Order.Order): Promise<ChargeOutcome>;
};

/** Charges the order, or waits for whoever does: the same credential gets the same answer, however far the first one has come. */
export async function take(shop: Till, attempt: Attempt): Promise<Taken> {
  const { orderId, challengeId, credentialDigest } = attempt;
  const deadlineMs = shop.clock() + companionWaitMs;
  for (;;) {
    const { standing, own } = await shop.orders.claim(orderId, challengeId, credentialDigest);
    switch (standing) {
      case 'claimed': {
        const answer = await charge(shop, attempt);
        if (answer) return answer;
        break;
      }
      case 'busy':
        if (shop.clock() >= deadlineMs) return { kind: 'pending', order: await must(shop, orderId) };
        await new Promise((resolve) => setTimeout(resolve, companionLookMs));
        break;
      case 'in_doubt':
        return { kind: 'pending', order: await must(shop, orderId) };
      case 'granted':
        return granted(await must(shop, orderId), challengeId, own);
      case 'declined': {
        const { failure } = await must(shop, orderId);
        return { kind: 'declined', reason: failure ?? 'The payment was declined.' };
      }
      case 'unknown':
        throw new Error(`order ${orderId} went away while it was paid`);
    }
  }
}

/** Charges an order that this process has claimed. Null where it was taken on by someone else meanwhile. */
export async function charge(shop: Till, { orderId, subjects, charge }: Attempt): Promise<Taken | null> {
  const order = await must(shop, orderId);
  try {
    const outcome = await charge(order);
    switch (outcome.kind) {
      case 'unknown':
        shop.report('payment_pending', { order: orderId });
        // The notice may have been quicker than we gave up.
        return (await must(shop, orderId)).state === 'granted' ? null : { kind: 'pending', order };
      case 'declined':
        if (outcome.detail !== null)
          shop.report('charge_refused', { order: orderId, reason: outcome.detail });
        return (await shop.orders.decline(order, outcome.reason, subjects))
          ? { kind: 'declined', reason: outcome.reason }
          : null;
      case 'succeeded':
        return (await settle(shop, order, outcome.payment)) === null ? { kind: 'pending', order } : null;
    }
  } finally {
    await shop.orders.release(order);
  }
}

function granted(order: Order.Order, challengeId: string, own: boolean): Taken {
  const { account, payment, grantedMs } = order;
  if (account === null || payment === null || grantedMs === null)
    throw new Error(`order ${order.id} is granted and says not what for`);
  const receipt = Receipt.serialize({
    method: StripeCharge.method,
    reference: payment,
    challengeId,
    settledAtMs: grantedMs,
  });
  return { kind: 'granted', order: { ...order, account, payment, grantedMs }, receipt, own };
}

async function must(shop: Till, orderId: string): Promise<Order.Order> {
  const order = await shop.orders.find(orderId);
  if (!order) throw new Error(`no order ${orderId}`);
  return order;
}
