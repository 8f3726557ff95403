import * as Money from '@sluice/kernel/money';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import * as Statement from '../ledger/statement.ts';
import type { Order } from '../payment/order.ts';
import * as Proration from '../payment/proration.ts';

/** A plan immediately after its purchase, and the balance of its account. */
export type PurchasedPlan = {
  status: 'active' | 'expired';
  /** The remaining units of the plan; null for a plan that sells credit or includes dollars. */
  includedRemaining: number | null;
  /** The remaining dollars of a plan that includes dollars. */
  includedUsd: Money.Money | null;
  balance: Money.Money;
};

/** Reads what `account` now has of the plan that `order` bought. */
export async function read(
  { statements, clock }: Pick<IdentityContext, 'clock'> & Pick<LedgerContext, 'statements'>,
  account: string,
  plan: string,
  { period, periodEndMs }: Pick<Order, 'period' | 'periodEndMs'>,
): Promise<PurchasedPlan> {
  const lots = await statements.of(account);
  const nowMs = clock();
  const asset = period && Proration.assetOf(period.terms);
  const ofPlan = lots.filter((lot) => lot.plan === plan);
  return {
    status: periodEndMs !== null && periodEndMs <= nowMs ? 'expired' : 'active',
    includedRemaining: asset === 'unit' ? Statement.remaining(ofPlan, 'unit', nowMs) : null,
    includedUsd: asset === 'usd' ? Money.ofMicro(Statement.includedUsd(ofPlan, nowMs) ?? 0) : null,
    balance: Money.ofMicro(Statement.remaining(lots, 'usd', nowMs)),
  };
}
