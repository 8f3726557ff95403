import type * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { ChargeOutcome } from '../../../payment/card-attempt.ts';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import type { Order } from '../../../payment/order.ts';
import type { Html } from '../../pages/frame.ts';
import { copied, money, sign, table } from './figures.ts';
import { signalNames, signalReason } from './orders.ts';
import { state } from './states.ts';

type FraudFacts = {
  order: Order;
  signals: readonly FraudSignal[];
  /** Amount that can still be refunded. */
  left: Money.Money;
  charges: readonly ChargeOutcome[];
  /** URL of the payment at the processor; null when it has no such page. */
  page: string | null;
};

/** The open signals of a payment as labels. */
export function signs(signals: readonly FraudSignal[]): Html {
  const isOpen = (kind: FraudSignal['kind']) => signals.some((one) => one.isOpen && one.kind === kind);
  return html`${isOpen('early_fraud_warning') ? html` ${sign('fraud warning', true)}` : ''}${isOpen('review') ? html` ${sign('in review', 'warn')}` : ''}`;
}

/** The next step for each open signal. `refund`: the link to a refund of all that remains paid; null when nothing can be refunded. */
export function banners(facts: FraudFacts, refund: Html | null): Html[] {
  // Once everything is returned, the processor closes the signals by itself.
  if (facts.left === 0) return [];
  const open = facts.signals.filter(({ isOpen }) => isOpen);
  return open.map((one) => (one.kind === 'review' ? review(facts, one, refund) : warning(facts, refund)));
}

/** An open fraud warning: a refund now avoids a dispute. */
function warning({ order, left }: FraudFacts, refund: Html | null): Html {
  return html`<section class="banner" aria-labelledby="warned"><h2 id="warned">Fraud warning: refund ${money(left)} now</h2>
<p>A dispute often follows an early fraud warning. A full refund before it avoids the dispute and its fee.</p><div class="actions">${refund ?? ''}${freeze(order)}</div></section>`;
}

/** An open review: a payment that the processor took, and asks the seller to check. */
function review({ order, charges, page }: FraudFacts, { reason }: FraudSignal, refund: Html | null): Html {
  const paid = charges.find(({ succeeded }) => succeeded);
  const score = paid?.riskScore == null ? '' : `, score ${paid.riskScore}`;
  const risk = paid?.riskLevel == null ? '' : ` (${paid.riskLevel} risk${score})`;
  const why =
    reason === 'rule'
      ? 'A rule of yours at the card processor selected this payment for a review'
      : 'This payment waits for a review at the card processor';
  const open = page === null ? '' : html`<a class="button" href="${page}">Approve at the card processor</a>`;
  return html`<section class="banner" aria-labelledby="review"><h2 id="review">Review: approve or refund</h2>
<p>${why}${risk}. Approve it at the processor, or refund it.</p><div class="actions">${open}${refund ?? ''}${freeze(order)}</div>
${page === null ? html`<p class="soft">The card sandbox has no dashboard. With real payments, a button here opens the payment there, where you approve it.</p>` : ''}</section>`;
}

function freeze({ account }: Order): Html {
  return account === null
    ? html``
    : html`<a class="button plain" href="/admin/console/accounts/${account}/freeze">Freeze account</a>`;
}

const headings: Record<FraudSignal['kind'], string> = {
  ...signalNames,
  review: 'Review by the card processor',
};

/** All signals of a payment, the latest first. */
export function list(signals: readonly FraudSignal[]): Html {
  const [first, ...others] = signals;
  if (first === undefined) return html``;
  const row = ({ id, kind, reason, isOpen }: FraudSignal) =>
    html`<tr><th scope="row">${signalNames[kind]}</th><td>${copied(id)}</td><td>${signalReason(reason)}</td><td>${state(isOpen ? 'needs attention' : 'closed')}</td></tr>`;
  const columns = ['Signal', 'At the processor', { bare: 'Reason' }, { lead: 'Status' }];
  return html`<section aria-labelledby="flagged"><h2 id="flagged">${others.length === 0 ? headings[first.kind] : 'Fraud warnings and reviews'}</h2>
${table('Fraud warnings and reviews', columns, signals.toReversed().map(row), 'stack')}</section>`;
}
