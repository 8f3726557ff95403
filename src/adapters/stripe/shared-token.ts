import Stripe from 'stripe';

/** The place of a shared payment token in a payment: Stripe documents the first, some published versions need the second. */
export type Placement = 'payment_method_data' | 'top_level';

const name = 'shared_payment_granted_token';

/** The API version in which Stripe accepts shared payment tokens, which are in preview. */
export const versionDefault = '2026-08-26.preview';

/** The parameters that pay with a token. */
export function params(placement: Placement, token: string): Record<string, unknown> {
  return placement === 'top_level' ? { [name]: token } : { payment_method_data: { [name]: token } };
}

/** Returns true when Stripe does not know the token in this place, so that the other place should be tried. */
export function isMisplaced(error: unknown, placement: Placement): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== 'parameter_unknown')
    return false;
  return error.param === (placement === 'top_level' ? name : `payment_method_data[${name}]`);
}

export function other(placement: Placement): Placement {
  return placement === 'top_level' ? 'payment_method_data' : 'top_level';
}
