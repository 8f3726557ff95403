import { html } from 'hono/html';
import type { FoundAccount } from '../../../identity/account-search.ts';
import * as Statement from '../../../ledger/statement.ts';
import type { CreditGrant } from '../../../payment/credit-grant.ts';
import type { Html } from '../../pages/frame.ts';
import { confirmation } from './confirmation.ts';
import { amount, count, day } from './figures.ts';
import { buyerLink, type PlanName } from './orders.ts';

type Question = {
  account: FoundAccount;
  grant: CreditGrant;
  lots: readonly Statement.StatementLot[];
  /** The fields of the form, which are sent again to grant it. */
  values: Readonly<Record<string, string>>;
  planName: PlanName;
  nowMs: number;
};

/** Shows the effects of a credit grant before it is made. */
export function confirm({ account: it, grant, lots, values, planName, nowMs }: Question): Html {
  const { asset, plan, expiresMs, reason } = grant;
  const shown = amount(asset, grant.amount);
  const left = Statement.remaining(lots, asset, nowMs);
  const [name, after] =
    asset === 'usd' ? ['Balance', 'Balance after it'] : ['Results left', 'Results after it'];
  const back = `/admin/console/accounts/${it.id}`;
  return confirmation({
    question: `Grant ${shown}?`,
    subject: 'Account',
    facts: [
      ['Buyer', buyerLink(it.id, it.email)],
      [name, amount(asset, left)],
      ['Grant', html`<b>${shown}</b>`],
      ['Plan', planName(plan)],
      ['Last day', expiresMs === null ? 'no expiry' : day(expiresMs - 1)],
      ['Reason', reason ?? ''],
    ],
    effects: [
      it.frozenMs === null
        ? 'The buyer can use it at once, and sees it as a grant from the seller.'
        : 'The buyer sees it as a grant from the seller, and can use it when the account is unfrozen.',
      `The buyer may call what the plan ${planName(plan)} allows, at its prices.`,
      `${after}: ${asset === 'usd' ? amount(asset, left + grant.amount) : count(left + grant.amount)}.`,
      'It cannot be taken back.',
      'The audit log records it, with your name and your IP address.',
    ],
    action: back,
    fields: html`<input type="hidden" name="act" value="grant">${Object.entries(values).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}`,
    button: `Grant ${shown}`,
    isDangerous: false,
    back,
    change: `${back}/grant?${new URLSearchParams({ ...values, change: 'yes' })}#grant`,
  });
}
