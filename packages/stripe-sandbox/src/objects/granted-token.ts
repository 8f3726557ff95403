import { id } from '@sluice/kernel/id';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
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
    card: Pick<
      PaymentMethod['card'],
      'brand' | 'exp_month' | 'exp_year' | 'fingerprint' | 'funding' | 'last4'
    >;
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

/** Rejects a token in a payment under an API version without the preview of tokens, as an unknown parameter. */
export function refuseVersion(
  params: Readonly<Record<string, unknown>>,
  version: string | undefined,
): Refusal | null {
  if (version?.endsWith('.preview')) return null;
  const data = params.payment_method_data;
  const isInner = typeof data === 'object' && data !== null && parameter in data;
  if (!isInner && !(parameter in params)) return null;
  const param = isInner ? `payment_method_data[${parameter}]` : parameter;
  return invalid(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
}

export const grantedTokens = Store.table<GrantedToken>('granted_tokens');

export function create(
  ctx: RequestContext,
  method: PaymentMethod,
  limits: Limits,
  sharedMetadata: Record<string, string>,
): GrantedToken {
  const { brand, exp_month, exp_year, fingerprint, funding, last4 } = method.card;
  return Store.put(ctx.store, grantedTokens, {
    id: id('spt'),
    object: 'shared_payment.granted_token',
    created: ctx.now,
    deactivated_at: null,
    deactivated_reason: null,
    livemode: false,
    payment_method_details: {
      type: 'card',
      card: { brand, exp_month, exp_year, fingerprint: fingerprint ?? null, funding, last4 },
    },
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
export function consume(ctx: RequestContext, tokenId: string, amount: number): void {
  const token = Store.get(ctx.store, grantedTokens, tokenId);
  if (token === undefined) throw new Error(`granted token ${tokenId} is gone`);
  deactivate(
    ctx,
    {
      ...token,
      usage_details: { amount_captured: { currency: token.usage_limits.currency, value: amount } },
    },
    'consumed',
  );
}

export function deactivate(
  ctx: RequestContext,
  token: GrantedToken,
  reason: NonNullable<GrantedToken['deactivated_reason']>,
): GrantedToken {
  return Store.put(ctx.store, grantedTokens, {
    ...token,
    deactivated_at: ctx.now,
    deactivated_reason: reason,
  });
}
