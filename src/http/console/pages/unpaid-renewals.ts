import { html } from 'hono/html';
import type { Unpaid } from '../../../journeys/billing-portal.ts';
import type { PastDue } from '../../../payment/revenue-report.ts';
import type { Html } from '../../pages/frame.ts';
import { type Column, copied, day, money } from './figures.ts';
import { buyerLink, type PlanName } from './orders.ts';

/** An unpaid renewal, with its open invoice; null while the processor does not report that. */
export type UnpaidRenewal = PastDue & { open: Unpaid | null };

export const about =
  'The processor charges these again on its own schedule. What the plan includes stays available for the grace period of the plan.';

export const columns: readonly Column[] = [
  'Buyer',
  { number: 'Unpaid', onPhone: 'lead' },
  { bare: 'Plan' },
  'Period ended',
  'Access until',
  'Next attempt',
  'Subscription',
];

/** A row of the list of unpaid renewals. */
export function row(one: UnpaidRenewal, planName: PlanName, nowMs: number): Html {
  const { account, email, price, plan, periodEndMs, accessUntilMs, subscription } = one;
  const access = `${accessUntilMs <= nowMs ? 'ended ' : ''}${day(accessUntilMs)}`;
  return html`<tr><th scope="row" class="nowrap-wide">${buyerLink(account, email)}</th><td class="number">${price === null ? '' : money(price)}</td><td>${planName(plan)}</td><td class="nowrap">${day(periodEndMs)}</td><td class="nowrap">${access}</td><td>${nextAttempt(one.open)}</td><td>${copied(subscription)}</td></tr>`;
}

/** When the card is charged again. */
function nextAttempt(open: Unpaid | null): string {
  if (open === null) return 'not known: see the processor';
  return open.nextAttemptMs === null ? 'none' : day(open.nextAttemptMs);
}
