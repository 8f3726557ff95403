import * as Money from '../kernel/money.ts';
import type { JsonObject } from './canonical-json.ts';

/** One card payment by a shared payment token: the `stripe` method's `charge` intent (draft-stripe-charge-00). */
export const method = 'stripe';
export const intent = 'charge';
/** The processor takes no card payment below this. */
export const amountMin = Money.ofCents(50);

/** Who is paid: our profile in the processor's network, and what it takes (`card`, `link`). */
export type Seller = { networkId: string; paymentMethodTypes: string[] };

/**
 * The `request` of a challenge. It names no `externalId`: some servers demand its echo and some clients send none,
 * so the order travels in `opaque`. Throws RangeError below `amountMin` and on fractions of a cent.
 */
export function request(amount: Money.Money, { networkId, paymentMethodTypes }: Seller): JsonObject {
  const cents = Money.toCents(amount);
  if (cents === null || amount < amountMin)
    throw new RangeError(`no card payment of ${amount} micro-dollars`);
  return { amount: String(cents), currency: 'usd', methodDetails: { networkId, paymentMethodTypes } };
}

/** The shared payment token in the payload of a credential, or null. A client's own `externalId` is ignored. */
export function token(payload: Readonly<Record<string, unknown>>): string | null {
  const { spt } = payload;
  return typeof spt === 'string' && /^spt_[A-Za-z0-9_]{1,250}$/.test(spt) ? spt : null;
}
