import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import type { PaymentMethod } from './payment-method.ts';

/** A card that an agent's wallet lets this shop charge, once, within limits: a preview object, not yet in the client's types. */
export type GrantedToken = {
  id: string;
  object: 'shared_payment.granted_token';
  created: number;
  deactivated_at: number | null;
  deactivated_reason: 'consumed' | 'expired' | 'revoked' | null;
  livemode: false;
  payment_method_details: {
    type: 'card';
    card: Pick<PaymentMethod['card'], 'brand' | 'exp_month' | 'exp_year' | 'funding' | 'last4'>;
  };
  shared_metadata: Record<string, string>;
  usage_details: { amount_captured: { currency: string; value: number } };
  usage_limits: Limits;
  _payment_method: string;
};

/** `max_amount` in minor units; `expires_at` in seconds. */
export type Limits = { currency: string; max_amount: number; expires_at: number };

/** The parameter that names a token in a payment. */
export const parameter = 'shared_payment_granted_token';

export const grantedTokens = Store.table<GrantedToken>('granted_tokens');

export function create(
  act: Act,
  method: PaymentMethod,
  limits: Limits,
  sharedMetadata: Record<string, string>,
): GrantedToken {
  const { brand, exp_month, exp_year, funding, last4 } = method.card;
  return Store.put(act.store, grantedTokens, {
    id: id('spt'),
    object: 'shared_payment.granted_token',
    created: act.now,
    deactivated_at: null,
    deactivated_reason: null,
    livemode: false,
    payment_method_details: { type: 'card', card: { brand, exp_month, exp_year, funding, last4 } },
    shared_metadata: sharedMetadata,
    usage_details: { amount_captured: { currency: limits.currency, value: 0 } },
    usage_limits: limits,
    _payment_method: method.id,
  });
}

/** Null where the token may be charged `amount` now; otherwise why not, naming `param`. */
export function refuseUse(
  token: GrantedToken,
  use: { amount: number; currency: string; now: number },
  param: string,
): Refusal | null {
  const { currency, max_amount, expires_at } = token.usage_limits;
  const why = (reason: string) => invalid(`The shared payment token ${token.id} ${reason}.`, { param });
  if (token.deactivated_reason !== null) return why(`is no longer active: ${token.deactivated_reason}`);
  if (expires_at <= use.now) return why(`expired at ${expires_at}`);
  if (currency !== use.currency) return why(`is for ${currency}, not for ${use.currency}`);
  if (use.amount > max_amount) return why(`allows at most ${max_amount}, not ${use.amount}`);
  return null;
}

/** A success uses the token up. */
export function consume(act: Act, tokenId: string, amount: number): void {
  const token = Store.get(act.store, grantedTokens, tokenId);
  if (token === undefined) throw new Error(`granted token ${tokenId} is gone`);
  deactivate(
    act,
    {
      ...token,
      usage_details: { amount_captured: { currency: token.usage_limits.currency, value: amount } },
    },
    'consumed',
  );
}

export function deactivate(
  act: Act,
  token: GrantedToken,
  reason: NonNullable<GrantedToken['deactivated_reason']>,
): GrantedToken {
  return Store.put(act.store, grantedTokens, {
    ...token,
    deactivated_at: act.now,
    deactivated_reason: reason,
  });
}
