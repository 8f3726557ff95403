import type { Frozen } from '../identity/account.ts';
import * as Gift from '../payment/gift.ts';
import type * as Wish from '../payment/wish.ts';
import type { Shop } from './shop.ts';

const reasonCharsMax = 500;

/** Reads why: `reason`, where one is given. */
export function parse(body: unknown): { kind: 'reason'; reason: string | null } | Gift.Faulty {
  const faults: Wish.Fault[] = [];
  const { reason = null } = Gift.membersOf(body, ['reason'], faults);
  const isReason = reason === null || (typeof reason === 'string' && reason.length <= reasonCharsMax);
  if (!isReason)
    faults.push({ field: 'reason', message: `Must be a text of at most ${reasonCharsMax} characters` });
  return faults.length > 0 || !isReason ? { kind: 'fault', faults } : { kind: 'reason', reason };
}

/**
 * Freezes an account, or lets it go on; of one that is a part of another, that one. Answered once every process knows.
 * `who` is for the audit log.
 */
export async function set(
  shop: Pick<Shop, 'accounts' | 'revocations'>,
  id: string,
  isFrozen: boolean,
  reason: string | null,
  who: string,
): Promise<Frozen> {
  const account = await shop.accounts.standing(id);
  return shop.revocations.telling(
    account,
    () => shop.accounts.freeze(account, isFrozen, reason, who),
    ({ kind }) => kind === 'done',
  );
}
