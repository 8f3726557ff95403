import * as Money from '@sluice/kernel/money';
import type { SubscriptionPlan } from '../../../catalog/plan.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import { unitOfPlan } from '../../../catalog/plan-unit.ts';
import * as TaxNote from '../../../catalog/tax-note.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import * as PlanChange from '../../../journeys/plan-change.ts';
import { type PlanOffer, planOffers } from '../../../journeys/plan-offers.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import { periodEnd } from '../../../payment/proration.ts';
import type { Subscription } from '../../../payment/subscription.ts';
import { includedText } from '../../../text/included-text.ts';
import type { Texts } from '../../../text/texts.ts';
import type { BrowserSession } from '../browser-session.ts';
import * as ChangePage from '../change.ts';
import * as FormResult from '../form-result.ts';
import { bad, good, type Result, type Submission } from './account-form.ts';
import { type AccountPagesContext, respondInSection } from './account-page.ts';

/** The path that asks before a plan is changed, and changes it. */
export const path = '/shop/account/change';

/** The path of the question about a plan. */
export function questionPath(plan: string): string {
  return `${path}?plan=${encodeURIComponent(plan)}`;
}

/** Responds with the question: what is charged now or with the next period, and to which card. Leads back to the plans when there is nothing to ask. */
export async function respondWithQuestion(
  shop: AccountPagesContext,
  visitor: BrowserSession,
  target: string,
): Promise<Response> {
  const { texts, catalog } = shop;
  const offer = (await planOffers(shop, visitor.account)).get(target);
  const plan = planOf(shop, target);
  if ((offer?.kind !== 'dearer' && offer?.kind !== 'cheaper') || plan === null)
    return FormResult.redirect(shop, '/#plans', null);
  const asked = [{ id: offer.subscription, plan: target, cancelAtPeriodEnd: false }];
  const [[method], present] = await Promise.all([
    BillingPortal.methodsOf(shop, visitor, asked),
    shop.subscriptions.find(offer.subscription),
  ]);
  const was = planOf(shop, present?.plan ?? '');
  const terms = {
    plan,
    present: nameOf(catalog, present?.plan ?? ''),
    unit: unitOfPlan(plan, catalog.services),
    isTaxAdded: TaxNote.isTaxAdded(catalog),
    card: method?.card ?? null,
  };
  if (offer.kind === 'dearer') {
    const renewsMs = periodEnd(shop.clock(), plan.every);
    const unitThen = was === null ? 'unit' : unitOfPlan(was, catalog.services);
    const left = offer.ends.amount === 0 ? null : includedText(texts, offer.ends, unitThen);
    const main = ChangePage.change(texts, { ...terms, left, today: offer.today, renewsMs });
    return respondInSection(shop, visitor, 'billing', {
      title: texts.text('change.title', { plan: plan.name }),
      main,
    });
  }
  const { fromMs } = offer;
  const main = ChangePage.later(texts, { ...terms, fromMs, rollsOver: was?.rollover ?? false });
  const title = texts.text('change.later_title', { plan: plan.name, day: texts.day(fromMs) });
  return respondInSection(shop, visitor, 'billing', { title, main });
}

/** Changes to another plan, or keeps the present one. It is refused when that would now cost more than the form said, today or each period. */
export async function changePlan(
  shop: CheckoutContext & Receipts.ReceiptContext,
  { account, form }: Submission,
): Promise<Result> {
  const { texts } = shop;
  const target = form.get('plan') ?? '';
  const plan = planOf(shop, target);
  const offer = (await planOffers(shop, account)).get(target);
  // The form was sent twice.
  if (offer?.kind === 'current' && plan !== null)
    return bad(texts.text('result.changed_already', { plan: plan.name }));
  if (offer?.kind === 'next') {
    const changing = (await shop.subscriptions.of(account)).find(({ nextPlan }) => nextPlan === target);
    if (changing !== undefined) return good(laterText(shop, changing, target));
  }
  if ((offer?.kind !== 'dearer' && offer?.kind !== 'cheaper' && offer?.kind !== 'keep') || plan === null)
    return refusedOf(shop, offer);
  const price = Money.parse(form.get('price_usd') ?? '') ?? Money.zero;
  if (plan.price > price)
    return bad(
      texts.text('result.plan_price_changed', {
        plan: plan.name,
        amount: texts.usd(Money.format(plan.price)),
      }),
    );
  const agreed = Money.parse(form.get('today_usd') ?? '') ?? Money.zero;
  if (offer.kind === 'dearer' && offer.today > agreed)
    return bad(texts.text('result.price_changed', { amount: texts.usd(Money.format(offer.today)) }));
  const { subscription } = offer;
  const changed = await PlanChange.change(shop, account, { subscription }, target);
  switch (changed.kind) {
    case 'done':
      return {
        ...(offer.kind === 'dearer'
          ? await changedTo(shop, account, subscription, target)
          : good(laterText(shop, changed.subscriptions[0], target))),
        detail: { plan: target },
      };
    case 'declined':
      return bad(texts.text('result.change_declined', { reason: changed.reason }));
    case 'under_way':
      return bad(texts.text('result.change_under_way'));
    case 'unpaid':
      return bad(unpaidText(texts, changed.payUrl === null));
    default:
      return bad(texts.text('result.not_changed'));
  }
}

/** Says why the account cannot change to a plan. */
function refusedOf({ texts }: Pick<CheckoutContext, 'texts'>, offer: PlanOffer | undefined): Result {
  const isUnpaid = offer?.kind === 'pay_first' || offer?.kind === 'unpaid' || offer?.kind === 'renewing';
  return bad(isUnpaid ? unpaidText(texts, offer.kind === 'renewing') : texts.text('result.not_changed'));
}

/** Says that the renewal has to be paid first. @param isCharged true when the card is about to be charged */
function unpaidText(texts: Texts, isCharged: boolean): string {
  return texts.text(isCharged ? 'result.renewing' : 'result.pay_first');
}

/** Says what a change that charges nothing now means: the plan of the next period, its day and its price. */
function laterText(
  shop: Pick<CheckoutContext, 'catalog' | 'texts'>,
  { plan: present, endMs }: Subscription,
  target: string,
): string {
  const { texts, catalog } = shop;
  const plan = planOf(shop, target);
  if (plan === null) return texts.text('result.changed');
  const amount = ChangePage.priceOf(texts, { plan, isTaxAdded: TaxNote.isTaxAdded(catalog) });
  const facts = { plan: plan.name, day: texts.day(endMs), amount };
  return present === target
    ? texts.text('result.plan_kept', facts)
    : texts.text('result.changes_later', { ...facts, present: nameOf(catalog, present) });
}

/** Says what a change has charged, with its receipt. */
async function changedTo(
  shop: CheckoutContext & Receipts.ReceiptContext,
  account: string,
  subscription: string,
  target: string,
): Promise<Result> {
  const { texts } = shop;
  const periods = await shop.orders.periods(account);
  const begun = periods.find((one) => one.subscription === subscription && one.plan === target);
  const receipt = begun === undefined ? null : await Receipts.ofPurchase(shop, account, begun.order);
  if (receipt === null) return good(texts.text('result.changed'));
  const facts = { plan: planOf(shop, target)?.name ?? target, amount: texts.usd(receipt.total_usd) };
  const link = { url: receipt.url, text: texts.text('result.paid_receipt') };
  return { ...good(texts.text('result.changed_paid', facts)), link };
}

/** Says that a purchase is paid; of a plan, also what it includes and when it renews. */
export async function paidText(
  shop: Pick<CheckoutContext, 'catalog' | 'orders' | 'texts'>,
  account: string,
  { plan: id, purchase, total_usd }: Pick<Receipts.PurchaseEntry, 'plan' | 'purchase' | 'total_usd'>,
): Promise<string> {
  const { texts, catalog } = shop;
  const amount = texts.usd(total_usd);
  const plan = planOf(shop, id);
  const period =
    plan === null ? undefined : (await shop.orders.periods(account)).find(({ order }) => order === purchase);
  if (plan === null || period === undefined) return texts.text('result.paid', { amount });
  const quantity = includedText(texts, plan.included, unitOfPlan(plan, catalog.services));
  const facts = { plan: plan.name, amount, quantity, day: texts.day(period.endMs) };
  return texts.text(period.renews ? 'result.paid_plan' : 'result.paid_period', facts);
}

function planOf({ catalog }: Pick<CheckoutContext, 'catalog'>, id: string): SubscriptionPlan | null {
  const plan = catalog.plans.find((one) => one.id === id);
  return plan?.kind === 'subscription' ? plan : null;
}
