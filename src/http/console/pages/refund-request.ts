import type * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Order } from '../../../payment/order.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type { Html } from '../../pages/frame.ts';
import { field } from './fields.ts';
import { exact, moment, money, sign } from './figures.ts';
import { buyerLink, pageOf } from './orders.ts';
import { state } from './states.ts';

type RequestFacts = {
  order: Order;
  request: RefundRequest;
  email: string | null;
  /** Amount that can still be refunded. */
  left: Money.Money;
  canRefund: boolean;
  canDecline: boolean;
  /** True while the outcome of a refund is not known. */
  isUnconfirmed: boolean;
  /** A refused reason for declining. */
  declining: { reason: string; fault: string } | null;
  /** The form that leads to the refund; null when none can be made here. */
  form: Html | null;
};

const reasonRows = 2;

/** The buyer's refund request with its answer, or with the form that leads to the refund beside the one that declines. */
export function refundRequest(facts: RequestFacts): Html {
  const { request, email, left, canRefund, canDecline, form } = facts;
  const { reason, askedMs, answer } = request;
  const isOpen = request.state === 'open';
  return html`<section aria-labelledby="asked"><h2 id="asked">Refund request: ${money(request.amount)} ${outcomeOf(request)}</h2>
<p>${buyerLink(request.account, email)} asked for a refund:</p><blockquote>${reason}</blockquote><p class="soft">Requested ${moment(askedMs)}. Unspent: ${exact(request.unspent)}. Refundable: ${money(left)}.</p>${answer === null ? '' : html`<p>Declined${request.declinedMs === null ? '' : html` on ${moment(request.declinedMs)}`}, with this reason:</p><blockquote>${answer}</blockquote>`}${isOpen && !canRefund && !facts.isUnconfirmed ? html`<p class="soft">A colleague with the role finance or owner can refund it.</p>` : ''}
<div class="answers">${isOpen && form !== null && left > 0 ? form : ''}${isOpen && canDecline ? declineForm(facts) : ''}</div></section>`;
}

/** The state of a request, with the sum that answered it when the buyer had asked for another one. */
function outcomeOf({ state: name, amount, refunded, declinedMs }: RefundRequest): Html {
  if (name !== 'refunded') return name === 'open' ? state(name) : sign(name, 'past');
  const what = refunded === amount ? 'refunded' : `answered with ${money(refunded)}`;
  return sign(
    declinedMs === null
      ? what
      : `declined, later ${refunded === amount ? what : `refunded ${money(refunded)}`}`,
    'past',
  );
}

function declineForm({ order, declining }: RequestFacts): Html {
  const reason = field({
    ...{ name: 'reason', label: 'Reason. The buyer sees it.', value: declining?.reason ?? '' },
    ...{ fault: declining?.fault, isRequired: true, charsMax: 1_000, rows: reasonRows },
  });
  return html`<details ${declining === null ? '' : 'open'}><summary class="button plain">Decline…</summary><form class="half" method="post" action="${pageOf(order.id)}"><input type="hidden" name="act" value="decline">
${reason}<button class="danger">Decline</button></form></details>`;
}

/** Compares a refund with the buyer's open request for `wanted`, which it answers. */
export function answering(wanted: Money.Money, refunded: Money.Money): string {
  return wanted === refunded
    ? 'This is what the buyer asked for, and closes the request.'
    : `The buyer asked for ${money(wanted)}. This answers the request with ${money(refunded)} and closes it. The buyer sees the amount, without a reason.`;
}
