import type { Accounts } from '../identity/account.ts';
import { lifeMs } from '../payment/order.ts';
import type { Till } from './settlement.ts';

/**
 * After an older backup was restored: enters those orders again that were made since then and paid, by what their payments say of
 * themselves, and the accounts that they were for. Nothing is granted by it: the comparison that follows does that. Orders of periods
 * say too little in their payments and are left to a person. Returns the orders; repeats enter nothing twice.
 * @param plans the plans that hold credit
 */
export async function run(
  { orders, processor, clock }: Pick<Till, 'orders' | 'processor' | 'clock'>,
  accounts: Pick<Accounts, 'find' | 'register'>,
  plans: ReadonlySet<string>,
  sinceMs: number,
): Promise<string[]> {
  const entered: string[] = [];
  for await (const { order, state, plan, account, received } of processor.payments(sinceMs)) {
    if (state !== 'succeeded' || order === null || plan === null || !plans.has(plan)) continue;
    if ((await orders.find(order)) !== null) continue;
    if (account !== null && (await accounts.find(account)) === null)
      await accounts.register(account, plan, 0);
    const expiresMs = clock() + lifeMs;
    await orders.offer({
      id: order,
      account,
      plan,
      amount: received,
      period: null,
      rail: 'card',
      returnUrl: null,
      expiresMs,
    });
    entered.push(order);
  }
  return entered;
}
