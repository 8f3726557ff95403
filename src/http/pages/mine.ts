import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Plan } from '../../catalog/plan.ts';
import { sharedUnit } from '../../catalog/plan-unit.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { nextAttemptText, payText } from './pay-text.ts';
import { onePriced } from './price-list.ts';
import { say } from './say.ts';
import type { AccountSummary } from './shop-facts.ts';

/** A smaller balance is low. */
export const lowBalance = Money.ofCents(50);

/**
 * The account of the visitor on the start page: its balance, what to do about a low one or an unpaid plan, and the next step.
 * @param isOffered true when the page offers more credit above
 */
export function mine(
  texts: Texts,
  summary: AccountSummary,
  { services, plans }: Pick<Catalog, 'services' | 'plans'>,
  isOffered: boolean,
): Html {
  const { balance, included, includedUsd, holdsPlan } = summary;
  const unit = sharedUnit(services);
  const hasUnits =
    included > 0 ||
    (holdsPlan && includedUsd === null && services.some(({ metering }) => metering === undefined));
  const label = plans.some(({ kind }) => kind === 'credit') ? 'try.add_credit' : 'shop.see_plans';
  const unpaid = plans.find(({ id }) => summary.offers.get(id)?.kind === 'unpaid') ?? null;
  const warned = unpaid === null ? warning(texts, summary, services) : unpaidNote(texts, unpaid, summary);
  const isKeyFirst = (included > 0 || Number(includedUsd ?? 0) > 0) && warned === '';
  const more = html`<a class="button${isKeyFirst || unpaid !== null ? ' plain' : ''}" href="#plans">${say(texts, label)}</a>`;
  const key = html`<a class="button${isKeyFirst ? '' : ' plain'}" href="/shop/account/keys">${say(texts, 'shop.create_key')}</a>`;
  return html`<section class="mine" aria-labelledby="mine"><h2 id="mine">${say(texts, 'shop.mine')}</h2>
${warned}
<dl class="facts">
<div><dt>${say(texts, 'shop.balance')}</dt><dd id="balance">${texts.usd(balance)}</dd></div>
${hasUnits ? html`<div><dt>${say(texts, 'shop.plan_units', { units: texts.units(unit) })}</dt><dd id="included">${texts.number(included)}</dd></div>` : ''}
${includedUsd === null ? '' : html`<div><dt>${say(texts, 'shop.plan_usage')}</dt><dd id="included_usd">${texts.usd(includedUsd)}</dd></div>`}
</dl><div class="actions">${unpaid === null ? '' : html`<a class="button" href="/shop/account/billing#plans">${payText(texts, summary.unpaid)}</a>`}${isKeyFirst ? key : ''}${isOffered ? '' : more}${isKeyFirst ? '' : key}</div></section>`;
}

/** Returns true for an account that has its trial and has bought nothing. */
export function hasFreeCalls({ balance, trial, offers }: AccountSummary): boolean {
  return trial?.left != null && Number(balance) === 0 && offers.size === 0;
}

/** Says that the renewal of a plan was not paid, when its card is charged again, and until when its rest can be used. */
function unpaidNote(
  texts: Texts,
  { name }: Pick<Plan, 'name'>,
  { unpaid, usableUntil }: AccountSummary,
): Html {
  const next = nextAttemptText(texts, unpaid);
  const usable =
    usableUntil === null
      ? ''
      : html` ${say(texts, 'account.usable_until', { day: texts.dayOf(usableUntil) })}`;
  return html`<p class="note">${say(texts, 'account.past_due', { plan: name, next })}${usable} <a href="/shop/account/billing#plans">${say(texts, 'account.change_the_card')}</a></p>`;
}

function warning(
  texts: Texts,
  { balance, offers, included }: AccountSummary,
  services: Catalog['services'],
): Html | string {
  const left = Money.parse(balance) ?? Money.zero;
  if (left === Money.zero || left >= lowBalance || offers.size > 0) return '';
  const service = onePriced(services);
  const link = html`<a href="/shop/account/billing">${say(texts, 'shop.low_link')}</a>`;
  const facts = { balance: texts.usd(balance), link };
  if (service === null) return html`<p class="note">${say(texts, 'shop.low', facts)}</p>`;
  const quantity = texts.quantity(Math.floor(left / service.price), service.unit);
  const text =
    included === 0
      ? say(texts, 'shop.low_units', { ...facts, quantity })
      : say(texts, 'shop.low_units_plan', {
          ...{ ...facts, quantity },
          included: texts.quantity(included, service.unit),
        });
  return html`<p class="note">${text}</p>`;
}
