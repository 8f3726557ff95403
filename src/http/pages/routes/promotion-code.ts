import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { redeem } from '../../../journeys/redeem-promotion.ts';
import type * as Registering from '../../../journeys/registration.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { address, type Call } from '../../request-context.ts';
import type * as BrowserSession from '../browser-session.ts';
import * as PromotionResult from '../promotion-result.ts';
import * as VisitorAccount from '../visitor-account.ts';

export type CodeContext = Registering.RegisterContext &
  IdentityContext &
  TextsContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<SellerContext, 'promotions'>;

/** A code in the visitor's account. `headers` sign the browser in to an account that was opened for the code. */
export type AppliedCode = {
  kind: 'applied';
  text: string;
  visitor: BrowserSession.BrowserSession;
  headers: Readonly<Record<string, string>>;
};
export type CodeResult =
  | AppliedCode
  | (Omit<AppliedCode, 'kind'> & { kind: 'refused' })
  /** The address opens too many accounts. */
  | { kind: 'limited' };

/**
 * Redeems the promotion code of a purchase form, before anything is paid. A visitor without an account gets one, as with the first trial call.
 * A code that the account has redeemed before is applied: the form may have been sent twice. Wrong codes are limited by account and address.
 */
export async function apply(
  shop: CodeContext,
  c: Call,
  clientAddressHeader: string | null,
  code: string,
): Promise<CodeResult> {
  const account = await VisitorAccount.accountOf(shop, c, clientAddressHeader);
  if (account.kind === 'limited') return { kind: 'limited' };
  const { visitor, headers } = account;
  if (shop.tokenVerifier.frozen.has(visitor.account))
    return { kind: 'refused', text: shop.texts.text('result.frozen'), visitor, headers };
  const redeemed = await redeem(shop, visitor.account, code, address(c, clientAddressHeader));
  const { isRefused, text } = PromotionResult.inWords(shop.texts, shop.catalog, redeemed);
  return { kind: isRefused ? 'refused' : 'applied', text, visitor, headers };
}
