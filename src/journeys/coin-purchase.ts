import { sha256Hex } from '../kernel/digest.ts';
import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import * as Problem from '../payment/problem.ts';
import type { ChargeOutcome } from '../payment/processor.ts';
import * as Coin from '../payment/x402/coin.ts';
import * as ExactEvm from '../payment/x402/exact-evm.ts';
import { failures } from '../payment/x402/facilitator.ts';
import * as Payload from '../payment/x402/payload.ts';
import * as Resource from '../payment/x402/resource.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import * as Purchase from './purchase.ts';
import type { Counter } from './settlement.ts';
import type { Shop } from './shop.ts';
import * as Taking from './taking.ts';

/** Signatures that an address may have looked at in one second. */
const verificationsPerSecond = 5;
/** By this the payment of an order was certainly valid no more, whatever the clocks. */
const lateMs = 10 * 60_000;

type CoinShop = Counter & Pick<Shop, 'verifications'>;

/** What a purchase says to clients of x402; null where the shop takes no coin. */
export function asked(shop: Counter, request: Purchase.PurchaseRequest, amount: Money.Money) {
  if (shop.coin === null) return null;
  const { plan } = request;
  const resource = Resource.of({
    url: `${shop.publicUrl}/plans/${plan.id}/purchase`,
    description: `${plan.name}: ${Money.format(amount)} USD`,
    serviceName: shop.catalog.storefront.name,
  });
  return { resource, requirements: [Coin.requirement(shop.coin, amount)] };
}

/** The order of a signed transfer that was sent before; null where there is none. */
export async function begun({ coin, orders }: Counter, reading: Payload.Reading): Promise<Order | null> {
  if (coin === null || reading.kind !== 'payload') return null;
  return orders.find(orderOf(ExactEvm.claimed(coin.network, reading.authorization)));
}

function orderOf(claimKey: string): string {
  return `pur_${sha256Hex(claimKey).slice(0, 32)}`;
}

/**
 * Buys by a signed transfer of a dollar coin: verified here, claimed by the coin's own replay key, settled by the facilitator, and only
 * then granted. The same payment again gets the same answer; one that is not settled for certain stays pending, and is never asked anew.
 */
export async function run(
  shop: CoinShop,
  request: Purchase.PurchaseRequest,
  reading: Exclude<Payload.Reading, { kind: 'none' }>,
): Promise<Purchase.PurchaseAnswer> {
  const { coin } = shop;
  const refuse = ([kind, detail]: readonly [Problem.Kind, string]) =>
    Purchase.offer(shop, request, Problem.of(kind, detail));
  if (reading.kind === 'many')
    return { kind: 'bad_credential', problem: Problem.of('bad-request', 'More than one payment: send one.') };
  if (reading.kind === 'malformed') return refuse(Payload.refusals[reading.reason]);
  const known = await begun(shop, reading);
  const priced = known ?? (await Purchase.price(shop, request, shop.clock()));
  if (typeof priced === 'string') return { kind: 'cannot_replace', reason: priced };
  const terms = asked(shop, request, priced.amount);
  if (coin === null || terms === null)
    return refuse([
      'verification-failed',
      'This shop takes no coins; pay by one of the rails that are offered.',
    ]);
  const checked = check(
    reading,
    { resourceUrl: terms.resource.url, requirements: terms.requirements },
    shop.clock(),
  );
  if (typeof checked === 'string') return refuse(ExactEvm.refusals[checked]);
  const orderId = orderOf(checked.claimKey);
  if (known === null) {
    const look = RateLimit.take(shop.verifications, request.address, verificationsPerSecond, shop.clock());
    if (!look.allowed) return { kind: 'too_many_declines', waitMs: 1_000 };
  }
  if (!ExactEvm.isSigned(checked)) return refuse(ExactEvm.refusals.x402_signer);
  const isOver = checked.expiresMs <= shop.clock();
  if (known === null || known.state === 'offered') {
    // Only what was claimed in time may still be answered.
    if (isOver) return refuse(ExactEvm.refusals.x402_expired);
    const waitMs = await Taking.declineWait(shop, Taking.subjectsOf(request));
    if (waitMs !== null) return { kind: 'too_many_declines', waitMs };
  }
  const { plan, account, returnUrl } = request;
  const order = {
    id: orderId,
    account,
    plan: plan.id,
    amount: priced.amount,
    period: priced.period,
    rail: 'x402' as const,
    returnUrl,
    expiresMs: checked.expiresMs,
  };
  if (known === null) await shop.orders.offer(order);
  const standing = known ?? (await shop.orders.find(orderId));
  if (
    standing === null ||
    standing.plan !== plan.id ||
    standing.amount !== priced.amount ||
    !isFor(standing, account)
  )
    return refuse(['verification-failed', 'This payment has been used for another purchase.']);
  const taken = await Taking.take(shop, {
    orderId,
    challengeId: checked.claimKey,
    credentialDigest: sha256Hex(checked.claimKey),
    subjects: Taking.subjectsOf(request),
    charge: async (claimed) =>
      outcomeOf(await coin.facilitator.settle(checked, terms.resource), claimed, checked.claimKey),
  });
  return Purchase.answered(shop, request, taken);
}

/** As `ExactEvm.check`; a payment that has run out is looked at too, as it may have been taken in its time. */
function check(
  payload: Payload.Payload,
  terms: ExactEvm.Terms,
  nowMs: number,
): ExactEvm.Checked | ExactEvm.Refusal {
  const checked = ExactEvm.check(payload, terms, nowMs);
  if (checked !== 'x402_expired') return checked;
  const inTimeMs = Number(payload.authorization.validBefore) * 1000 - 60_000;
  return inTimeMs < nowMs ? ExactEvm.check(payload, terms, inTimeMs) : checked;
}

/** A purchase without a bearer makes its account at the grant. */
function isFor(
  { account: owner, state }: { account: string | null; state: string },
  account: string | null,
): boolean {
  return owner === account || (account === null && state === 'granted');
}

function outcomeOf(
  settlement: Awaited<ReturnType<Coin.Coin['facilitator']['settle']>>,
  { id, amount, doubted }: { id: string; amount: Money.Money; doubted: boolean },
  challengeId: string,
): ChargeOutcome {
  switch (settlement.kind) {
    case 'succeeded': {
      const payment = { id: settlement.transaction, order: id, challengeId, received: amount, failure: null };
      return { kind: 'succeeded', payment: { ...payment, state: 'succeeded' } };
    }
    case 'failed':
      // The wallet may be empty, or the payment spent, because an earlier try went through.
      return doubted
        ? { kind: 'unknown' }
        : { kind: 'declined', reason: failures[settlement.reason], detail: null };
    case 'unknown':
      return { kind: 'unknown' };
  }
}

/**
 * What became of a payment that is in doubt, by the chain itself: the coin has taken its nonce, or the time for that is over.
 * Null where nobody can know yet.
 */
export async function inquire(
  coin: Coin.Coin | null,
  order: { challengeId: string | null; expiresMs: number; amount: Money.Money; id: string },
  nowMs: number,
): Promise<ChargeOutcome | null> {
  const [scheme, , asset, wallet, nonce] = order.challengeId?.split(' ') ?? [];
  if (scheme !== 'x402' || !asset || !wallet || !nonce || !coin?.chain) return null;
  if (await coin.chain.isUsed(asset, wallet, nonce)) {
    const payment = {
      id: nonce,
      order: order.id,
      challengeId: order.challengeId,
      received: order.amount,
      failure: null,
    };
    return { kind: 'succeeded', payment: { ...payment, state: 'succeeded' } };
  }
  if (nowMs < order.expiresMs + lateMs) return null;
  return { kind: 'declined', reason: failures.expired, detail: null };
}
