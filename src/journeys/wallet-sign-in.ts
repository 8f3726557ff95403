import type { TrialPlan } from '../catalog/plan.ts';
import type { Issued } from '../identity/jwt.ts';
import * as Registration from '../identity/registration.ts';
import type { Proof, Wallets } from '../identity/wallets.ts';
import { id } from '../kernel/id.ts';
import { session } from './registration.ts';
import type { Shop } from './shop.ts';

const dayMs = 86_400_000;

export type SignedIn = {
  kind: 'signed_in';
  account: string;
  access: Issued;
  assertion: Issued;
  /** What a wallet is given that came for the first time. */
  trial: TrialPlan | null;
};

/**
 * The account of a wallet, by a proof whose signature holds. A wallet that comes for the first time is a registration,
 * within the same limits: wallets cost nothing, and each brings a trial. A refused one may send its proof again.
 */
export async function signIn(
  shop: Shop & { readonly wallets: Wallets },
  proof: Proof,
  address: string,
): Promise<SignedIn | { kind: 'used' } | Extract<Registration.Admission, { kind: 'refused' }>> {
  if ((await shop.wallets.find(proof.wallet)) === null) {
    const nowMs = shop.clock();
    const today = await shop.accounts.registeredSince(nowMs - (nowMs % dayMs));
    const admission = Registration.admit(shop.registrations, address, today, nowMs);
    if (admission.kind === 'refused') return admission;
  }
  const trial = shop.catalog.plans.find((plan) => plan.kind === 'trial') ?? null;
  const newcomer = { account: id('acc'), plan: trial?.id ?? '', units: trial?.included ?? 0 };
  const found = await shop.wallets.signIn(proof, newcomer);
  if (found === null) return { kind: 'used' };
  const { account, isNew } = found;
  return { kind: 'signed_in', account, ...(await session(shop, account)), trial: isNew ? trial : null };
}
