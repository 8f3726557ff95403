import { sha256Hex } from '@sluice/kernel/digest';
import { id } from '@sluice/kernel/id';
import type { Order } from '../payment/order.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import { type ProblemKind, problemOf } from '../payment/problem.ts';
import * as AcceptedToken from '../payment/x402/accepted-token.ts';
import type { Chain } from '../payment/x402/chain.ts';
import * as ExactEvm from '../payment/x402/exact-evm.ts';
import type { Network } from '../payment/x402/network.ts';
import * as Payload from '../payment/x402/payload.ts';
import type * as Resource from '../payment/x402/resource.ts';
import * as SignedPayment from '../payment/x402/signed-payment.ts';
import * as RateLimit from '../proxy/rate-limit.ts';
import * as ChargeOrder from './charge-order.ts';
import * as Purchase from './purchase.ts';
import * as PurchasePrice from './purchase-price.ts';
import type { PurchaseRequest } from './purchase-request.ts';
import type { QuoteContext } from './quote.ts';
import * as X402Settlement from './x402-settlement.ts';
import { x402Terms } from './x402-terms.ts';

/** Number of signatures per second that are verified for one address. */
const verificationsPerSecond = 5;

/** The dependencies of buying with a signed transfer. */
export type X402Context = CheckoutContext & Pick<QuoteContext, 'verifications'>;

/** Returns the order of a signed transfer that was sent before; null when there is none. */
export async function findBegunPayment(
  { acceptedTokens, orders }: Pick<PaymentContext, 'acceptedTokens' | 'orders'>,
  reading: Payload.PayloadReading,
): Promise<Order | null> {
  if (acceptedTokens === null || reading.kind !== 'payload') return null;
  const offered = AcceptedToken.networkOf(acceptedTokens, reading);
  return offered && orders.findByChallenge(ExactEvm.claimKeyOf(offered.network, reading.authorization));
}

/** A verified payment with the terms of its purchase. */
type Tendered = {
  checked: ExactEvm.CheckedPayment;
  resource: Resource.Resource;
  priced: Pick<Order, 'amount' | 'period'>;
  /** The order of the same payment from an earlier request; null for a new payment. */
  known: Order | null;
};

/**
 * Buys with a signed transfer of a dollar token: verified here, claimed by the token's own replay key, settled by the facilitator, and only
 * then granted. Sending the same payment again returns the same result; a payment with an unknown outcome stays pending and is not settled
 * again by a repetition.
 */
export async function buyWithToken(
  shop: X402Context,
  request: PurchaseRequest,
  reading: Exclude<Payload.PayloadReading, { kind: 'none' }>,
): Promise<Purchase.PurchaseResult> {
  if (reading.kind === 'many')
    return {
      kind: 'bad_credential',
      problem: problemOf('bad-request', 'The request contains more than one payment. Send only one.'),
    };
  if (reading.kind === 'malformed') return refuse(shop, request, Payload.refusals[reading.reason]);
  const known = await findBegunPayment(shop, reading);
  const priced = known ?? (await PurchasePrice.price(shop, request, shop.clock()));
  if (typeof priced === 'string') return { kind: 'cannot_replace', reason: priced };
  const { acceptedTokens } = shop;
  const terms = x402Terms(shop, request.plan, priced.amount);
  if (acceptedTokens === null || terms === null)
    return refuse(shop, request, [
      'verification-failed',
      'This shop does not accept x402 payments. Pay with one of the offered rails.',
    ]);
  const checked = check(
    reading,
    {
      resourceUrl: terms.resource.url,
      requirements: terms.requirements,
      takesContractWallets: ({ network }) => chainOf(acceptedTokens, network) !== null,
    },
    shop.clock(),
  );
  if (typeof checked === 'string') return refuse(shop, request, ExactEvm.refusals[checked]);
  const unfit = await admit(shop, acceptedTokens, request, known, checked);
  if (unfit === 'repeated') return buyWithToken(shop, request, reading);
  if (unfit !== null) return unfit;
  return charge(shop, request, { checked, resource: terms.resource, priced, known });
}

/** Refuses a payment with a new offer. */
function refuse(
  shop: X402Context,
  request: PurchaseRequest,
  [kind, detail]: readonly [ProblemKind, string],
): Promise<Purchase.PurchaseResult> {
  return Purchase.offer(shop, request, problemOf(kind, detail));
}

/**
 * Makes the expensive checks of a payment, and those that depend on earlier requests. Returns null when it can be charged, and `repeated` when
 * a concurrent request has just created the order of the same payment.
 */
async function admit(
  shop: X402Context,
  coin: AcceptedToken.AcceptedTokens,
  request: PurchaseRequest,
  known: Order | null,
  checked: ExactEvm.CheckedPayment,
): Promise<Purchase.PurchaseResult | 'repeated' | null> {
  if (known === null) {
    const taken = RateLimit.take(shop.verifications, request.address, verificationsPerSecond, shop.clock());
    if (!taken.allowed) return { kind: 'too_many_declines', waitMs: 1_000 };
  }
  const unfit =
    known === null ? await unfitness(coin, checked) : isSame(known, checked) ? null : 'x402_signer';
  if (unfit === 'chain_away') return { kind: 'unavailable' };
  if (unfit !== null) {
    // A concurrent request with the same payment may have created its order meanwhile, and may even have settled it.
    const isBegun = known === null && (await shop.orders.findByChallenge(checked.claimKey)) !== null;
    return isBegun ? 'repeated' : refuse(shop, request, ExactEvm.refusals[unfit]);
  }
  if (known !== null && known.state !== 'offered') return null;
  // An expired payment can only be answered when it was claimed in time.
  if (checked.expiresMs <= shop.clock()) return refuse(shop, request, ExactEvm.refusals.x402_expired);
  return null;
}

/** Creates the order of a new payment, and charges it. */
async function charge(
  shop: X402Context,
  request: PurchaseRequest,
  { checked, resource, priced, known }: Tendered,
): Promise<Purchase.PurchaseResult> {
  const { plan, account, returnUrl } = request;
  if (known === null)
    await shop.orders.offer({
      // The id is random, because every part of the payment is public once it is settled.
      id: id('pur', account),
      account,
      plan: plan.id,
      amount: priced.amount,
      period: priced.period,
      rail: 'x402',
      returnUrl,
      expiresMs: checked.expiresMs,
      challengeId: checked.claimKey,
      payer: checked.payload.authorization.from,
      signedPayment: SignedPayment.fromVerified(checked, resource),
    });
  const order = known ?? (await shop.orders.findByChallenge(checked.claimKey));
  const isSamePurchase = order?.plan === plan.id && order.amount === priced.amount;
  if (order === null || !isSamePurchase || !isFor(order, account))
    return refuse(shop, request, [
      'verification-failed',
      'This payment was already used for another purchase. Sign a new one.',
    ]);
  const taken = await ChargeOrder.take(shop, {
    orderId: order.id,
    challengeId: checked.claimKey,
    credentialDigest: sha256Hex(checked.claimKey),
    payer: { account, address: request.address },
    charge: (claimed) => X402Settlement.charge(shop, claimed),
  });
  return Purchase.resultOf(shop, request, taken);
}

/** Like `ExactEvm.check`, but also accepts an expired payment, because it may have been charged before it expired. */
function check(
  payload: Payload.Payload,
  terms: ExactEvm.AcceptedPayments,
  nowMs: number,
): ExactEvm.CheckedPayment | ExactEvm.PaymentRefusal {
  const checked = ExactEvm.check(payload, terms, nowMs);
  if (checked !== 'x402_expired') return checked;
  const inTimeMs = Number(payload.authorization.validBefore) * 1000 - 60_000;
  return inTimeMs < nowMs ? ExactEvm.check(payload, terms, inTimeMs) : checked;
}

/** Returns true when an order belongs to the caller. A purchase without a bearer token creates its account with the grant. */
function isFor(
  { account: owner, state }: { account: string | null; state: string },
  account: string | null,
): boolean {
  return owner === account || (account === null && state === 'granted');
}

/**
 * Returns why a new payment is refused, or null. Signatures of contract wallets are verified on the chain, so the chain must be
 * available for them. An authorization that was already used cannot pay for a new order; when the chain cannot be read,
 * the settlement detects that later.
 */
async function unfitness(
  coin: AcceptedToken.AcceptedTokens,
  checked: ExactEvm.CheckedPayment,
): Promise<ExactEvm.PaymentRefusal | 'chain_away' | null> {
  const { payload, requirement } = checked;
  const { from } = payload.authorization;
  const chain = chainOf(coin, requirement.network);
  if (!ExactEvm.isSigned(checked)) {
    if (chain === null) return 'x402_signer';
    const isAccepted = await chain
      .accepts(from, ExactEvm.digest(checked), payload.signature)
      .catch(() => null);
    if (isAccepted !== true) return isAccepted === null ? 'chain_away' : 'x402_contract_signer';
  }
  const asset = requirement.network.asset.toLowerCase();
  const obstacle = await chain?.obstacle({ ...payload.authorization, asset }).catch(() => null);
  return obstacle ? `x402_${obstacle}` : null;
}

/** Returns true when this is the payment of an order, or is signed by the same key. */
function isSame({ signedPayment }: Order, checked: ExactEvm.CheckedPayment): boolean {
  return signedPayment?.signature === checked.payload.signature || ExactEvm.isSigned(checked);
}

function chainOf({ networks }: AcceptedToken.AcceptedTokens, network: Network): Chain | null {
  return networks.find((offered) => offered.network === network)?.chain ?? null;
}
