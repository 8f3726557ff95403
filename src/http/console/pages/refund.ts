import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { PossibleRefund, ReplacedRefund } from '../../../journeys/refund-preview.ts';
import { refundKey } from '../../../journeys/refund-requests.ts';
import type { SubscriptionEnd } from '../../../journeys/refunded-subscription.ts';
import type { UnconfirmedRefund } from '../../../journeys/unconfirmed-refund.ts';
import type { Order } from '../../../payment/order.ts';
import { isPending, type Reversal, totalReversed } from '../../../payment/reversal.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { destination, unitOf } from './coin-payment.ts';
import { confirmation } from './confirmation.ts';
import { field } from './fields.ts';
import { amount, day, moment, money, usd } from './figures.ts';
import { buyerLink, methodOf, type PlanName, pageOf } from './orders.ts';
import { answering } from './refund-request.ts';

/** The input of a form for a refund that was refused: the amount with its fault, and the transaction with its own. */
export type RefundDraft = { typed: string; fault?: string; reference?: string; referenceFault?: string };

/** The form that leads to the page with the effects of a refund. */
export function reviewForm(
  { id, amount: paid }: Order,
  suggested: Money.Money,
  left: Money.Money,
  draft: RefundDraft | null,
): Html {
  const of = {
    ...{ id: 'amount', name: 'amount_usd', label: `Amount (USD), up to ${usd(left)}` },
    ...{ value: draft?.typed ?? Money.format(suggested), fault: draft?.fault },
  };
  return html`<form class="row half" method="get" action="${pageOf(id)}/refund"><input type="hidden" name="returned_usd" value="${Money.format(Money.ofMicro(paid - left))}"><div>${field({ ...of, inputMode: 'decimal', isRequired: true })}</div><button>Review refund</button></form>
<p class="soft">The next page shows the effects of the amount that you enter. Nothing is refunded before you confirm there.</p>`;
}

/** The link to the question about a refund of all that remains paid. */
export function refundAll({ id, amount: paid }: Order, left: Money.Money): Html {
  const query = new URLSearchParams({
    amount_usd: Money.format(left),
    returned_usd: Money.format(Money.ofMicro(paid - left)),
  });
  return html`<a class="button" href="${pageOf(id)}/refund?${query.toString()}">Refund ${money(left)}</a>`;
}

/** The form for a refund which the seller sent from their own wallet. It leads to the page with its effects. */
export function byHandForm(
  order: Order,
  suggested: Money.Money,
  left: Money.Money,
  draft: RefundDraft | null,
): Html {
  const { id, amount: paid } = order;
  const of = {
    ...{ id: 'amount', name: 'amount_usd', label: `You sent (${unitOf(order)}), up to ${usd(left)}` },
    ...{ value: draft?.typed ?? Money.format(suggested), fault: draft?.fault },
  };
  const reference = {
    ...{ id: 'reference', name: 'reference', label: 'Transaction (optional)', placeholder: '0x…' },
    ...{ value: draft?.reference ?? '', fault: draft?.referenceFault },
  };
  return html`<p>This purchase was paid in a stablecoin, which you refund from your own wallet. Send the money first, then record it here: the credit is removed, and an open refund request of the buyer is answered.</p>${destination(order)}
<form method="get" action="${pageOf(id)}/refund"><input type="hidden" name="returned_usd" value="${Money.format(Money.ofMicro(paid - left))}">
<div class="grid-fields"><div>${field({ ...of, inputMode: 'decimal', isRequired: true })}</div><div>${field(reference)}</div></div><button>Review the record</button></form>
<p class="soft">The next page shows the effects. Nothing is recorded before you confirm there.</p>`;
}

/** A refund whose outcome is not known: when it will be, and the form that sends the same refund again. */
export function unconfirmedRefund(
  { id, amount: paid }: Order,
  { amount: asked, left, key, subscription, untilMs, isRunning }: UnconfirmedRefund,
  canRefund: boolean,
): Html {
  const shown = money(asked);
  const returned = Money.format(Money.ofMicro(paid - left));
  const answers = key === refundKey ? html`<input type="hidden" name="act" value="answer">` : '';
  const again =
    key === null || !canRefund
      ? ''
      : html`<form method="post" action="${pageOf(id)}"><input type="hidden" name="key" value="${key}">${answers}<input type="hidden" name="amount_usd" value="${Money.format(asked)}"><input type="hidden" name="returned_usd" value="${returned}"><input type="hidden" name="subscription" value="${subscription}"><button class="plain">Send the same refund again</button></form>`;
  return html`<section class="banner" aria-labelledby="unconfirmed"><h2 id="unconfirmed">Refund of ${shown}, not confirmed</h2>
<p>${isRunning ? 'It is being made, or its process has ended.' : 'The processor did not answer.'} The refund of ${shown} may have been made. The shop asks the processor each time this page is loaded. If the processor does not list it by ${moment(untilMs)}, it was not made, and you can refund again here.</p>
<div class="actions"><a class="button" href="${pageOf(id)}">Check with the processor</a>${again}</div>
${again === '' ? '' : html`<p class="soft">The same refund is made only once, however often it is sent.</p>`}</section>`;
}

/** A refund to confirm: its effects, and the purchase. */
export type Question = PossibleRefund & { order: Order; planName: PlanName; email: string | null };

/** The facts of a purchase, with what was returned of it so far. */
function factsOf({ order, planName, email, returned, returnedMs }: Question) {
  const left = money(Money.ofMicro(order.amount - returned));
  return [
    ['Buyer', order.account === null ? 'not known' : buyerLink(order.account, email)],
    ['Purchase', `${money(order.amount)} for ${planName(order.plan)}`],
    ['Paid', moment(order.grantedMs ?? order.createdMs)],
    [
      'Returned so far',
      returned === 0 || returnedMs === null
        ? 'nothing'
        : html`<b>${money(returned)}</b>, ${moment(returnedMs)}; ${left} remains`,
    ],
  ] as const;
}

/** The effects of the suggested refund, above its form. */
export function suggestion({ order, planName, ...preview }: Omit<Question, 'email'>): Html {
  const { refunded, tax, ending, replaced } = preview;
  const plan = ending === null ? planEffect(order, replaced, planName) : [`${waysOf(ending, planName)}.`];
  return html`<div class="suggested"><p>A refund of ${withTax(refunded, tax)}:</p><ul>${[...creditEffects({ ...preview, order, planName }), ...plan].map((effect) => html`<li>${effect}</li>`)}</ul></div>`;
}

/** The two ways for a plan, in one sentence without its full stop. */
function waysOf({ plan, when, endMs, renewsAs, isOwed }: SubscriptionEnd, planName: PlanName): string {
  const ends = when === 'now' ? 'now' : `on ${day(endMs)}`;
  const kept =
    renewsAs === null ? `stays until ${day(endMs)}` : isOwed ? 'stays' : `stays and renews on ${day(endMs)}`;
  return `The ${planName(plan)} plan ends ${ends}, or ${kept}: you choose on the next page`;
}

/** A plan that is not charged again anyway; nothing for credit. */
function planEffect({ plan, period }: Order, replaced: ReplacedRefund | null, planName: PlanName): string[] {
  return period === null
    ? []
    : [`The ${planName(replaced?.plan ?? plan)} plan does not renew, so there is nothing to cancel.`];
}

function withTax(net: Money.Money, tax: Money.Money): string {
  return tax === 0 ? money(net) : `${money(net)} + ${money(tax)} tax`;
}

/** The credit that a refund removes, the part of it that was spent, and the rest that stays. */
function creditEffects(of: Omit<Question, 'email'>): string[] {
  const { effect, kept, replaced } = of;
  const { asset, taken, missing } = effect;
  if (replaced !== null) return replacedEffects(effect, kept, replaced, of);
  const part = (value: number) => amount(asset, value);
  const verb = (value: number) => (asset === 'usd' || value === 1 ? 'is' : 'are');
  const removed = `${part(taken)} ${asset === 'usd' ? 'of the purchased credit' : 'that the plan includes'} ${verb(taken)} removed from the account immediately.`;
  const lost = `${part(missing)} ${verb(missing)} already spent: that part is your loss. The balance never falls below zero.`;
  const rest =
    kept === 0
      ? 'Nothing of this purchase is left to the buyer.'
      : `${part(kept)} of this purchase ${verb(kept)} left to the buyer.`;
  return missing > 0 ? [removed, lost, rest] : [removed, rest];
}

/** The effects of a refund on auto top-up that is on. */
const topUpEffects: Readonly<Record<NonNullable<PossibleRefund['topUp']>, string>> = {
  ends: 'Auto top-up of the account is turned off.',
  stops:
    'Auto top-up of the account is turned off: with the credit that is left, it would charge the card again at once.',
  stays: 'Auto top-up of the account stays on.',
};

/** The effects on the plan that replaced the paid period: it has the unused part. */
function replacedEffects(
  { asset, taken, missing }: PossibleRefund['effect'],
  kept: number,
  { plan, spent }: ReplacedRefund,
  { order, planName }: Pick<Question, 'order' | 'planName'>,
): string[] {
  const holder = planName(plan);
  const of = (value: number) => (value === 0 ? 'Nothing' : amount(asset, value));
  const verb = (in_: typeof asset, value: number) => (in_ === 'usd' || value < 2 ? 'is' : 'are');
  const lost = [...spent, { plan, asset, missing }].filter((one) => one.missing > 0);
  return [
    `${of(taken)} of ${holder} ${verb(asset, taken)} removed from the account immediately: the unused part of ${planName(order.plan)} went into ${holder}.`,
    ...lost.map(
      (one) =>
        `${amount(one.asset, one.missing)} of ${planName(one.plan)} ${verb(one.asset, one.missing)} already spent: that part is your loss. The balance never falls below zero.`,
    ),
    `${of(kept)} of ${holder} ${verb(asset, kept)} left to the buyer.`,
  ];
}

/** Shows the effects of a refund that the seller has sent from their own wallet, before it is recorded. */
export function confirmByHand(of: Question & { key: string; reference: string }): Html {
  const { order, refunded, returned, key, reference } = of;
  const shown = money(refunded);
  const sent =
    reference === '' ? html`<b>${shown}</b>` : html`<b>${shown}</b><br><span class="id">${reference}</span>`;
  return confirmation({
    question: `Record a refund of ${shown}?`,
    subject: 'Payment',
    facts: [...factsOf(of), ['You sent', sent]],
    effects: [
      'The shop sends no money. Record only what you have sent from your own wallet.',
      ...creditEffects(of),
      ...(of.wanted === null ? [] : [answering(of.wanted, refunded)]),
      'It cannot be undone.',
      'The audit log records the refund, with your name and your IP address.',
    ],
    action: pageOf(order.id),
    fields: html`<input type="hidden" name="act" value="by_hand"><input type="hidden" name="key" value="${key}"><input type="hidden" name="amount_usd" value="${Money.format(refunded)}"><input type="hidden" name="returned_usd" value="${Money.format(returned)}"><input type="hidden" name="reference" value="${reference}">`,
    button: 'Record refund',
    back: pageOf(order.id),
  });
}

/**
 * Shows the effects of a refund before it is made. `key` is its idempotency key; null when it answers the buyer's request, which can be answered
 * only once.
 */
export function confirm(of: Question & { key: string | null }): Html {
  const { order, planName, refunded, tax, returned, key, ending, replaced } = of;
  const shown = money(refunded);
  const isCard = methodOf(order).toLowerCase().startsWith('card');
  return confirmation({
    question: `Refund ${shown}?`,
    subject: 'Payment',
    facts: [
      ...factsOf(of),
      [
        'Refund',
        html`<b>${withTax(refunded, tax)}</b>, to the ${isCard ? 'card' : 'payment method'} that paid`,
      ],
    ],
    effects: [
      `${money(Money.ofMicro(refunded + tax))} reaches the ${isCard ? 'buyer’s card' : 'buyer'} within 5 to 10 days. The processor keeps its fee for the payment.`,
      ...creditEffects(of),
      ...(ending === null ? planEffect(order, replaced, planName) : []),
      ...(of.topUp === null ? [] : [topUpEffects[of.topUp]]),
      ...(of.wanted === null ? [] : [answering(of.wanted, refunded)]),
      ...(of.closesInquiry ? ['The inquiry is closed, because the payment is refunded in full.'] : []),
      'The audit log records the refund, with your name and your IP address.',
    ],
    action: pageOf(order.id),
    fields: html`<input type="hidden" name="amount_usd" value="${Money.format(refunded)}"><input type="hidden" name="returned_usd" value="${Money.format(returned)}">${key === null ? html`<input type="hidden" name="act" value="answer">` : html`<input type="hidden" name="key" value="${key}">`}${ending === null ? '' : endingChoice(ending, planName)}`,
    button: `Refund ${shown}`,
    back: pageOf(order.id),
  });
}

/** A sum that was returned before: `2.00 USD of this payment was returned to the buyer already`. */
export function returnedText(returned: Money.Money, isPending: boolean, of = 'this payment'): string {
  const what = `${money(returned)} of ${of}`;
  return isPending
    ? `the refund of ${what} was started already, and is pending at the processor`
    : `${what} was returned to the buyer already`;
}

/** In place of the question when more was returned since the page before it was loaded, such as after the browser's Back. */
export function changed(
  { id, amount: paid, plan }: Order,
  reversals: readonly Reversal[],
  planName: PlanName,
): Html {
  const returned = totalReversed(reversals, paid);
  const known = returnedText(returned, reversals.some(isPending), `${money(paid)} for ${planName(plan)}`);
  const left = Money.ofMicro(paid - returned);
  return html`<h1>Already refunded</h1>
<section class="narrow"><p class="note" role="alert">${capitalized(known)}. Nothing more was refunded.</p>
<p>${left > 0 ? `${money(left)} of this payment remains. To refund more of it, start again from the payment.` : 'Nothing of this payment remains.'}</p>
<div class="actions"><a class="button plain" href="${pageOf(id)}">Back to the payment</a></div></section>`;
}

/** The choice between the end of the plan and its next renewal. */
function endingChoice({ plan, when, endMs, renewsAs, isOwed }: SubscriptionEnd, planName: PlanName): Html {
  const name = planName(plan);
  const ends =
    when === 'now' ? `End the ${name} plan now.` : `End the ${name} plan on ${day(endMs)}, with its period.`;
  const next = renewsAs === null || renewsAs === plan ? '' : ` as ${planName(renewsAs)}`;
  const renews = isOwed
    ? 'Keep the plan. Its unpaid renewal is still charged.'
    : `Keep the plan. It renews on ${day(endMs)}${next}, and the card is charged again.`;
  const keeps = renewsAs === null ? `Keep the plan until ${day(endMs)}. It does not renew.` : renews;
  return html`<fieldset><legend>The ${name} plan</legend><label class="check"><input type="radio" name="subscription" value="end" checked> ${ends} It is not charged again.</label><label class="check"><input type="radio" name="subscription" value="keep"> ${keeps}</label></fieldset>`;
}
