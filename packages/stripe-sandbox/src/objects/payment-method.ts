import { createHash } from 'node:crypto';
import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Tax from '../tax.ts';
import * as Card from './card.ts';
import * as Event from './event.ts';
import { type Stored, shown } from './stored.ts';

/** A card that can be charged. */
export type PaymentMethod = Stored<Stripe.PaymentMethod> & {
  card: Stripe.PaymentMethod.Card;
  /** Its owner agreed, in a payment that went through, to have it charged later without being asked. */
  _set_up: boolean;
  /** It has been charged, so it cannot be charged again unless a customer keeps it. */
  _used: boolean;
};

export const paymentMethods = Store.table<PaymentMethod>('payment_methods');

export type Details = {
  number: string;
  expMonth: number;
  expYear: number;
  email: string | null;
  name: string | null;
  place?: Tax.Place | null;
};

/** Keeps a card; of its number only the last four digits and a digest. */
export function create(
  ctx: RequestContext,
  { number, expMonth, expYear, email, name, place }: Details,
): PaymentMethod {
  const known = Card.byNumber(number);
  const brand = known?.brand ?? 'unknown';
  return Store.put(ctx.store, paymentMethods, {
    id: id('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: place ? Tax.addressOf(place) : null, email, name, phone: null, tax_id: null },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: expMonth,
      exp_year: expYear,
      fingerprint: createHash('sha256').update(number).digest('base64url').slice(0, 16),
      funding: known?.funding ?? 'unknown',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: ctx.now,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
    _set_up: false,
    _used: false,
  });
}

/** The same card under an id of its own. */
export function copy(ctx: RequestContext, method: PaymentMethod): PaymentMethod {
  return Store.put(ctx.store, paymentMethods, {
    ...method,
    id: id('pm'),
    created: ctx.now,
    customer: null,
    _used: false,
  });
}

/** The payment method with this id; a ready-made one (`pm_card_visa`) becomes a new payment method each time. */
export function resolve(ctx: RequestContext, idOrToken: string, param?: string): PaymentMethod | Refusal {
  const card = Card.byToken(idOrToken);
  if (card !== undefined) {
    const expYear = new Date(ctx.now * 1_000).getUTCFullYear() + 3;
    return create(ctx, { number: card.number, expMonth: 12, expYear, email: null, name: null });
  }
  return Store.get(ctx.store, paymentMethods, idOrToken) ?? missing('PaymentMethod', idOrToken, param);
}

/** Attaches the card to a customer and records the event. */
export function attach(ctx: RequestContext, method: PaymentMethod, customer: string): PaymentMethod {
  const attached = Store.put(ctx.store, paymentMethods, { ...method, customer });
  Event.record(ctx, 'payment_method.attached', attached);
  return attached;
}

export function mark(
  ctx: RequestContext,
  method: PaymentMethod,
  what: { _set_up: true } | { _used: true },
): PaymentMethod {
  return Store.put(ctx.store, paymentMethods, { ...method, ...what });
}

/** Null where the card may be charged for `customer`; a kept card serves its customer only, any other card only once. */
export function refuseUse(
  { id: methodId, customer: owner, _used }: PaymentMethod,
  customer: string | null,
): Refusal | null {
  const about = { code: 'payment_method_unexpected_state', param: 'payment_method' };
  if (owner !== null && owner !== customer) {
    return invalid(
      `PaymentMethod ${methodId} belongs to customer ${owner}, who has to be named as customer.`,
      about,
    );
  }
  if (owner === null && _used) {
    return invalid(
      `PaymentMethod ${methodId} has been used, and is not attached to a customer to be used again.`,
      about,
    );
  }
  return null;
}

/** A card as an error shows it. */
export function asShown(method: PaymentMethod): PaymentMethod {
  return shown(method) as PaymentMethod;
}
