import * as Money from '@sluice/kernel/money';
import type { JsonObject } from './canonical-json.ts';

/** One card payment by a shared payment token: the `stripe` method's `charge` intent (draft-stripe-charge-00). */
export const method = 'stripe';
export const intent = 'charge';
/** The processor's minimum for a card payment. */
export const amountMin = Money.ofCents(50);

/** The payee: our profile in the processor's network, and the payment methods that it accepts (`card`, `link`). */
export type Seller = { networkId: string; paymentMethodTypes: string[] };

/**
 * Returns the `request` of a challenge. It has no `externalId`: some servers demand its echo and some clients do not send one,
 * so the order's id is in `opaque`. Throws RangeError for amounts below `amountMin` and for fractions of a cent.
 */
export function request(amount: Money.Money, { networkId, paymentMethodTypes }: Seller): JsonObject {
  const cents = Money.toCents(amount);
  if (cents === null || amount < amountMin)
    throw new RangeError(`no card payment of ${amount} micro-dollars`);
  return { amount: String(cents), currency: 'usd', methodDetails: { networkId, paymentMethodTypes } };
}

/** Returns the shared payment token in the payload of a credential, or null. A client's own `externalId` is ignored. */
export function token(payload: Readonly<Record<string, unknown>>): string | null {
  const { spt } = payload;
  return typeof spt === 'string' && /^spt_[A-Za-z0-9_]{1,250}$/.test(spt) ? spt : null;
}
