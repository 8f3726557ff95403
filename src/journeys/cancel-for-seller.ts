import type { CatalogContext } from '../catalog/catalog-context.ts';
import { nameOf } from '../catalog/plan-name.ts';
import type { Audit } from '../identity/audit.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import { type Subscription, willRenew } from '../payment/subscription.ts';
import * as Renewal from './renewal.ts';

export type CancelContext = PaymentContext & Pick<CatalogContext, 'catalog'> & { readonly audit: Audit };

export type CancelResult =
  /** The plan as it is now. It is not charged again, either because of this cancellation or since before it. */
  | { kind: 'done'; subscription: Subscription }
  /** The processor did not answer, so the plan may still renew. */
  | { kind: 'unavailable'; subscription: Subscription }
  /** The account has no such plan. */
  | { kind: 'unknown' };

/** Cancels the renewal of an account's plan for the seller. The paid period is kept. Safe to repeat. `who` is for the audit log. */
export async function cancel(
  shop: CancelContext,
  account: string,
  id: string,
  who: string,
): Promise<CancelResult> {
  const found = await shop.subscriptions.find(id);
  if (found === null || found.account !== account) return { kind: 'unknown' };
  if (!willRenew(found)) return { kind: 'done', subscription: found };
  const name = nameOf(shop.catalog, found.plan);
  const entry = await shop.audit.open(who, 'plan_cancelled', account, { name, subscription_id: id });
  const isAnswered = await Renewal.stop(shop, found).then(
    () => true,
    (fault: unknown) => {
      if (fault instanceof ProcessorUnavailable) return false;
      throw fault;
    },
  );
  const subscription = (await shop.subscriptions.find(id)) ?? found;
  const isDone = isAnswered && !willRenew(subscription);
  await shop.audit.close(entry, isDone ? {} : { outcome: 'not confirmed' });
  return { kind: isDone ? 'done' : 'unavailable', subscription };
}

/** Cancels every plan of an account that would be charged again. */
export async function cancelAll(shop: CancelContext, account: string, who: string): Promise<CancelResult[]> {
  const results: CancelResult[] = [];
  for (const { id } of (await shop.subscriptions.of(account)).filter(willRenew))
    results.push(await cancel(shop, account, id, who));
  return results;
}
