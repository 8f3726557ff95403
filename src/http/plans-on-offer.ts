import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { Operation } from '../catalog/operation.ts';
import * as PurchaseOffer from '../catalog/purchase-offer.ts';
import * as AccountReference from '../payment/account-reference.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import type { TextsContext } from '../text/texts-context.ts';

/** The dependencies of the response to a refused call. */
export type RefusalContext = Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<CheckoutContext, 'challengeSecrets'> &
  TextsContext;

/** The same, with the account of the caller who is refused. */
export type OfferContext = RefusalContext & { readonly account: string };

/**
 * The plans that cover an operation. Each purchase pays for the account that was refused, with or without a bearer token: sent unchanged,
 * it cannot credit another account.
 */
export function plansFor(
  { catalog, publicUrl, challengeSecrets, account }: OfferContext,
  { service }: Operation,
): PurchaseOffer.Offer[] {
  const buyer = new URLSearchParams({
    [AccountReference.parameter]: AccountReference.issue(account, challengeSecrets),
  });
  return PurchaseOffer.offersFor(service, catalog.plans, publicUrl, buyer);
}
