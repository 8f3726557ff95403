import { html } from 'hono/html';
import type { FoundAccount } from '../../../identity/account-search.ts';
import { type Subscription, willRenew } from '../../../payment/subscription.ts';
import type { Html } from '../../pages/frame.ts';
import { cancelToo, chargedWhileFrozen } from './account-plans.ts';
import { confirmation } from './confirmation.ts';
import { field } from './fields.ts';
import { day, money } from './figures.ts';
import { emailOf, type ListedOrder, type PlanName } from './orders.ts';

type Plans = {
  subscriptions: readonly Subscription[];
  orders: readonly ListedOrder[];
  planName: PlanName;
};

/** Shows the effects of freezing an account, or of the opposite, before it is done. `refused`: a reason that was refused, and why. */
export function confirm(
  it: FoundAccount,
  plans: Plans,
  refused: { reason: string; fault: string } | null = null,
): Html {
  const { id, frozenMs, paid, createdMs } = it;
  const renewing = plans.subscriptions.filter(willRenew);
  const isFrozen = frozenMs !== null;
  const [act, name] = isFrozen ? ['unfreeze', 'Unfreeze'] : ['freeze', 'Freeze'];
  return confirmation({
    question: `${name} this account?`,
    subject: 'Account',
    facts: [
      ['Email', emailOf(it)],
      ['Paid', money(paid)],
      ['Created', day(createdMs)],
      ...(frozenMs === null ? [] : [['Frozen since', day(frozenMs)] as const]),
      ['Id', html`<span class="id">${id}</span>`],
    ],
    effects: isFrozen
      ? ['Its keys and tokens work again.', 'It can call and buy, with the balance that was kept.']
      : [
          'Its API calls are refused at once.',
          'It cannot buy, and automatic top-ups stop.',
          ...renewing.map((one) => chargedWhileFrozen(one, plans)),
          'The balance is kept. The account can be unfrozen at any time.',
        ],
    action: `/admin/console/accounts/${id}`,
    fields: html`<input type="hidden" name="act" value="${act}">${field({ name: 'reason', label: 'Reason, for the audit log', value: refused?.reason ?? '', fault: refused?.fault, isRequired: true, charsMax: 500 })}${isFrozen ? '' : cancelToo(renewing, plans.planName)}`,
    button: `${name} account`,
    isDangerous: !isFrozen,
    back: `/admin/console/accounts/${id}`,
  });
}
