import type { PaymentContext } from '../payment/payment-context.ts';
import type { LotRefund, Replacement } from '../payment/replacement.ts';

/** The credit that refunds of a purchase have removed from the plan that replaced it. */
export type RemovedCredit = { plan: string; asset: LotRefund['asset']; amount: number };

/** The purchases of an account whose periods dearer plans replaced. */
export type ReplacedPeriods = {
  replacements: ReadonlyMap<string, Replacement>;
  removed: ReadonlyMap<string, RemovedCredit>;
};

/** Reads the replacements of purchases, and what the refunds that answered requests have removed from the plans that replaced them. */
export async function of(
  { orders }: Pick<PaymentContext, 'orders'>,
  purchases: readonly { purchase: string }[],
  requests: readonly { purchase: string; refunded: number }[],
): Promise<ReplacedPeriods> {
  const ids = [...purchases, ...requests].map(({ purchase }) => purchase);
  const replacements = await orders.replacementsOf([...new Set(ids)]);
  const removed = await Promise.all(
    requests
      .filter(({ purchase, refunded }) => refunded > 0 && replacements.has(purchase))
      .map(async ({ purchase, refunded }) => {
        const last = (await orders.refundTakes(purchase, -refunded)).at(-1);
        if (last === undefined || last.due <= last.unpaid) return [];
        const { plan, asset, due, unpaid } = last;
        return [[purchase, { plan, asset, amount: due - unpaid }] as const];
      }),
  );
  return { replacements, removed: new Map(removed.flat()) };
}
