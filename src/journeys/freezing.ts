import type { FreezeResult } from '../identity/account.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import * as CreditGrant from '../payment/credit-grant.ts';
import type * as PurchaseInput from '../payment/purchase-input.ts';

const reasonCharsMax = 500;

/** Parses the optional `reason`. */
export function parse(body: unknown): { kind: 'reason'; reason: string | null } | CreditGrant.InvalidInput {
  const faults: PurchaseInput.FieldFault[] = [];
  const { reason = null } = CreditGrant.membersOf(body, ['reason'], faults);
  const isReason = reason === null || (typeof reason === 'string' && reason.length <= reasonCharsMax);
  if (!isReason)
    faults.push({ field: 'reason', message: `Must be a text of at most ${reasonCharsMax} characters` });
  return faults.length > 0 || !isReason ? { kind: 'fault', faults } : { kind: 'reason', reason };
}

/**
 * Freezes or unfreezes an account, or the account that it was joined with. Resolves when every process knows. `who` is for the audit log.
 */
export async function set(
  shop: Pick<IdentityContext, 'accounts' | 'revocations'>,
  id: string,
  isFrozen: boolean,
  reason: string | null,
  who: string,
): Promise<FreezeResult> {
  const account = await shop.accounts.resolveAccount(id);
  return shop.revocations.announcing(
    account,
    () => shop.accounts.freeze(account, isFrozen, reason, who),
    ({ kind }) => kind === 'done',
  );
}
