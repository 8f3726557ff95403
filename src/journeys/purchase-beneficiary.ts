import type { IdentityContext } from '../identity/identity-context.ts';
import * as AccountReference from '../payment/account-reference.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';

/** The account that a purchase pays for; null when it opens one. */
export type Beneficiary =
  | { kind: 'account'; account: string | null }
  /** The reference was not issued by this shop, or too long ago. */
  | { kind: 'unknown' }
  /** The reference is for another account than that of the bearer token. */
  | { kind: 'other' }
  /** The seller has frozen the account. */
  | { kind: 'frozen' };

export type BeneficiaryContext = Pick<CheckoutContext, 'challengeSecrets'> &
  Pick<IdentityContext, 'accounts'>;

/**
 * Returns the account that a purchase pays for: that of the bearer token, or that of the reference in a refusal. When both are sent, they
 * must name the same account, which prevents paying for another account by mistake.
 * @param bearer the account of the bearer token; null without one
 * @param references the values of the query parameter; undefined without one
 */
export async function beneficiary(
  { challengeSecrets, accounts }: BeneficiaryContext,
  bearer: string | null,
  references: readonly string[] | undefined,
): Promise<Beneficiary> {
  if (references === undefined) return { kind: 'account', account: bearer };
  const [reference = '', ...others] = references;
  const named = others.length === 0 ? AccountReference.verify(reference, challengeSecrets) : null;
  if (named === null) return { kind: 'unknown' };
  const account = await accounts.resolveAccount(named);
  if (bearer !== null) return bearer === account ? { kind: 'account', account } : { kind: 'other' };
  return (await accounts.isFrozen(account)) ? { kind: 'frozen' } : { kind: 'account', account };
}
