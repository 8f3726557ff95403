import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import { sharedUnit, unitOfPlan } from '../../../catalog/plan-unit.ts';
import * as TaxNote from '../../../catalog/tax-note.ts';
import type { Unpaid } from '../../../journeys/billing-portal.ts';
import type * as PlanChange from '../../../journeys/plan-change.ts';
import type { Texts } from '../../../text/texts.ts';
import { keep } from '../change.ts';
import type { Html } from '../frame.ts';
import { nextAttemptText, payText } from '../pay-text.ts';
import { say } from '../say.ts';
import { table } from './table.ts';

/** The plans of an account, its grants, and the subscriptions that pay for plans. */
export type Holdings = {
  plans: readonly {
    id: string;
    name: string;
    expires_at: string | null;
    balance_usd?: string;
    included_remaining?: number;
    included_usd?: string;
  }[];
  grants: readonly {
    source: string | null;
    remaining_usd?: string;
    remaining_units?: number;
    expires_at: string | null;
  }[];
  subscriptions: readonly Period[];
  /** The prices of the next periods, by subscription, where another plan begins with it and its price is known. */
  nextPrices?: ReadonlyMap<string, string>;
  /** The renewals that were not paid, by subscription, where they are known. */
  unpaid?: ReadonlyMap<string, Unpaid>;
  /** True while the seller has frozen the account: its plans renew and cannot be used. */
  isFrozen?: boolean;
};
export type Period = ReturnType<typeof PlanChange.asPlan>;

const promotionSource = 'promotion:';

type Row = { name: string; left: string; status: string; sign: string; until: string; period: Period | null };

/** The rest of a plan: its credit, its units, its dollars, or both of an account that bought it under different terms. */
export function leftOfPlan(
  texts: Texts,
  { id, balance_usd, included_remaining = 0, included_usd }: Holdings['plans'][number],
  { plans, services }: Pick<Catalog, 'plans' | 'services'>,
): string {
  const plan = plans.find((one) => one.id === id);
  const unit = plan === undefined ? 'unit' : unitOfPlan(plan, services);
  if (balance_usd !== undefined) return texts.usd(balance_usd);
  const units = texts.quantity(included_remaining, unit);
  if (included_usd === undefined) return units;
  const dollars = texts.usd(included_usd);
  return included_remaining === 0 ? dollars : `${units} · ${dollars}`;
}

/** A table of plans: the rest of each, and when it renews or ends; with the forms that change it, if `isManaged`. Grants are part of them. */
export function plans(texts: Texts, held: Holdings, catalog: Catalog, isManaged: boolean): Html {
  const rows = held.plans.flatMap((plan) => rowsOfPlan(texts, plan, held, catalog));
  return html`${table<Row>(rows, [
    {
      head: texts.text('account.plan'),
      cell: ({ name, status, sign }) =>
        status === '' ? name : html`${name} <span class="sign${sign}">${status}</span>`,
    },
    { head: texts.text('account.remaining'), cell: ({ left }) => left, isNumber: true, onPhone: 'lead' },
    {
      head: texts.text('account.renews_or_ends'),
      cell: ({ until, period }) =>
        period?.next_plan == null ? until : html`<span class="wraps">${until}</span>`,
      isShort: true,
      onPhone: 'bare',
    },
    ...(isManaged
      ? [{ head: '', cell: ({ period }: Row) => (period === null ? '' : decision(texts, period, catalog)) }]
      : []),
  ])}${held.grants.map((grant) => html`<p class="hint">${textOfGrant(texts, grant, catalog)}</p>`)}`;
}

/** The status of a period, and its colour: one that needs the payer is marked. */
function statusOf(texts: Texts, period: Period, isFrozen: boolean): Pick<Row, 'status' | 'sign'> {
  const isStopped = isFrozen && period.status === 'active';
  const key = isEnding(period) ? 'canceled' : isStopped ? 'frozen' : period.status;
  const sign = isDue(period) ? ' bad' : period.cancel_at_period_end || isStopped ? ' off' : '';
  return { status: texts.text(`account.status_${key}`), sign };
}

/** Returns true for a plan whose renewal was not paid and is tried again. */
export function isDue({ status, renews }: Period): boolean {
  return status === 'past_due' && renews;
}

/** A note for each plan whose renewal was not paid, with a button that pays it and one that changes the card, for a person who may do so. */
export function dueNotes(
  texts: Texts,
  { subscriptions, unpaid }: Holdings,
  catalog: Pick<Catalog, 'plans'>,
  mayPay: boolean,
): Html {
  const text = ({ id, plan }: Period) => {
    const next = nextAttemptText(texts, unpaid?.get(id) ?? null);
    return say(texts, 'account.past_due', { plan: nameOf(catalog, plan), next });
  };
  const pay = ({ id, pay_url, cancel_at_period_end }: Period) => {
    const name = payText(texts, unpaid?.get(id) ?? null);
    const card = cancel_at_period_end ? '' : subscriptionForm('card', id, texts.text('account.change_card'));
    return html`${pay_url === null ? '' : html`<a class="button" href="${pay_url}">${name}</a>`}${card}`;
  };
  return html`${subscriptions
    .filter(isDue)
    .map(
      (one) => html`<div class="note due" role="alert"><p>${text(one)}</p>${mayPay ? pay(one) : ''}</div>`,
    )}`;
}

function rowsOfPlan(
  texts: Texts,
  plan: Holdings['plans'][number],
  { subscriptions, nextPrices, isFrozen = false }: Holdings,
  catalog: Catalog,
): Row[] {
  const { name } = plan;
  const left = leftOfPlan(texts, plan, catalog);
  const row = (period: Period, left: string): Row => ({
    ...{ name, left, period },
    ...statusOf(texts, period, isFrozen),
    until: until(texts, period, catalog, nextPrices?.get(period.id)),
  });
  const [first, ...later] = subscriptions.filter((one) => one.plan === plan.id);
  // A plan that another one replaced has nothing that could be used or changed.
  if (first === undefined && isUsedUp(plan) && isSubscription(plan.id, catalog)) return [];
  if (first === undefined)
    return [{ name, left, status: '', sign: '', until: expiryOf(texts, plan.expires_at), period: null }];
  return [row(first, left), ...later.map((one) => row(one, ''))];
}

/** Returns true for a paid period that will not renew, because it was cancelled. */
function isEnding({ status, cancel_at_period_end }: Period): boolean {
  return status === 'active' && cancel_at_period_end;
}

/** Returns true for a plan of which nothing is left. */
export function isUsedUp({
  balance_usd,
  included_remaining = 0,
  included_usd,
}: Holdings['plans'][number]): boolean {
  return included_remaining === 0 && Number(balance_usd ?? 0) === 0 && Number(included_usd ?? 0) === 0;
}

function isSubscription(id: string, { plans }: Pick<Catalog, 'plans'>): boolean {
  return plans.find((one) => one.id === id)?.kind === 'subscription';
}

/** A grant is a part of what its plan has left. Those of promotion codes have the code in their source. */
function textOfGrant(
  texts: Texts,
  { source, remaining_usd, remaining_units, expires_at }: Holdings['grants'][number],
  { services }: Catalog,
): string {
  const code = source?.startsWith(promotionSource) ? source.slice(promotionSource.length) : null;
  const left =
    remaining_usd === undefined
      ? texts.quantity(remaining_units ?? 0, sharedUnit(services))
      : texts.usd(remaining_usd);
  const until = expiryOf(texts, expires_at);
  if (code !== null) return texts.text('account.grant_code', { code, left, until });
  return texts.text('account.grant', { source: source ?? texts.text('account.grant_seller'), left, until });
}

function expiryOf(texts: Texts, at: string | null): string {
  return at === null
    ? texts.text('account.never_expires')
    : texts.text('account.expires', { day: texts.dayOf(at) });
}

function until(
  texts: Texts,
  { renews, status, period_end, next_plan }: Period,
  catalog: Pick<Catalog, 'plans'>,
  amount: string | undefined,
): string {
  const day = texts.dayOf(period_end);
  if (renews && status === 'past_due') return texts.text('account.plan_due', { day });
  if (renews && next_plan !== null) {
    const facts = { day, plan: nameOf(catalog, next_plan) };
    return amount === undefined
      ? texts.text('account.plan_then', facts)
      : texts.text('account.plan_then_price', { ...facts, amount: texts.usd(amount) });
  }
  const key = renews ? 'plan_renews' : status === 'expired' ? 'plan_ended' : 'plan_ends';
  return texts.text(`account.${key}`, { day });
}

function decision(
  texts: Texts,
  { renews, cancel_at_period_end, id, plan, next_plan }: Period,
  catalog: Pick<Catalog, 'plans' | 'storefront'>,
): Html | string {
  const own = catalog.plans.find((one) => one.id === plan);
  // A plan that is not sold any more cannot be chosen again.
  const kept =
    next_plan === null || own?.kind !== 'subscription'
      ? ''
      : keep(texts, own, TaxNote.isTaxAdded(catalog), 'quiet');
  if (renews) return html`${kept}${subscriptionForm('cancel', id, texts.text('account.cancel'), true)}`;
  return cancel_at_period_end ? subscriptionForm('resume', id, texts.text('account.resume')) : '';
}

/** A button for a subscription of the account. */
export function subscriptionForm(action: string, subscription: string, name: string, ends = false): Html {
  return html`<form method="post" action="/shop/account/${action}"><input type="hidden" name="subscription" value="${subscription}"><button class="quiet${ends ? ' danger' : ''}">${name}</button></form>`;
}
