import { blockOf } from '../identity/address-block.ts';
import * as Promotion from '../payment/promotion.ts';
import type { SellerContext } from './seller-context.ts';

/** Redeems a promotion code as its buyer typed it. A malformed code counts as an attempt with an unknown code. */
export async function redeem(
  { promotions }: Pick<SellerContext, 'promotions'>,
  account: string,
  typed: string,
  address: string,
): Promise<Promotion.RedeemResult & { code: string }> {
  const subjects = Promotion.subjectsOf(account, blockOf(address));
  const code = Promotion.normal(typed) ?? '';
  return { ...(await promotions.redeem(account, code, subjects)), code };
}
