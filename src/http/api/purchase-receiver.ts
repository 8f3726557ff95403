import { type BeneficiaryContext, beneficiary } from '../../journeys/purchase-beneficiary.ts';
import * as AccountReference from '../../payment/account-reference.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import * as Refusal from '../common-refusals.ts';
import { type Reply, unprocessable } from '../reply.ts';
import { type Call, requestId } from '../request-context.ts';

/**
 * Returns the account that a purchase over HTTP pays for, or the refusal to send. Null: the purchase opens an account.
 * @param bearer the account of the bearer token; null without one
 */
export async function receiverOf(
  shop: BeneficiaryContext & TextsContext,
  c: Call,
  bearer: string | null,
): Promise<{ account: string | null } | { refusal: Reply }> {
  const receiver = await beneficiary(shop, bearer, c.req.queries(AccountReference.parameter));
  if (receiver.kind === 'account') return { account: receiver.account };
  if (receiver.kind === 'frozen') return { refusal: Refusal.frozen(shop.texts, requestId(c)) };
  const message = shop.texts.text(`fault.account_${receiver.kind}`);
  return {
    refusal: unprocessable(shop.texts, [{ field: AccountReference.parameter, message }], requestId(c)),
  };
}
