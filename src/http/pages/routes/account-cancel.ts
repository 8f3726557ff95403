import type { Catalog } from '../../../catalog/catalog.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { type Holdings, leftOfPlan } from '../account/plans.ts';
import type { BrowserSession } from '../browser-session.ts';
import * as CancelPage from '../cancel.ts';
import type * as Frame from '../frame.ts';
import { respondInSection } from './account-page.ts';

/** The path that asks before a subscription is cancelled, and cancels it. */
export const path = '/shop/account/cancel';

/** The path of the question about a subscription. */
export function questionPath(subscription: string): string {
  return `${path}?subscription=${encodeURIComponent(subscription)}`;
}

/** Responds with the question; with the account page when the account has no such subscription that renews. */
export async function respondWithQuestion(
  shop: AccountJourney.AccountContext &
    Frame.PageContext &
    Pick<IdentityContext, 'team'> &
    TextsContext & { readonly catalog: Catalog },
  visitor: BrowserSession,
  id: string,
): Promise<Response> {
  const { texts, catalog } = shop;
  const overview = await AccountJourney.overview(shop, visitor.account);
  const { plans, subscriptions } = overview as unknown as Holdings;
  const found = subscriptions.find((one) => one.id === id && one.renews);
  if (found === undefined) return redirect('/shop/account/billing');
  const holding = plans.find((one) => one.id === found.plan);
  const plan = nameOf(catalog, found.plan);
  const main = CancelPage.cancel(texts, {
    plan,
    endMs: Date.parse(found.period_end),
    isUnpaid: found.status === 'past_due',
    left: holding === undefined ? null : leftOfPlan(texts, holding, catalog),
    rollsOver: rollsOver(catalog, found.plan),
    form: { action: path, subscription: id },
    keep: '/shop/account/billing#plans',
  });
  return respondInSection(shop, visitor, 'billing', { title: texts.text('cancel.title', { plan }), main });
}

/** Returns true when the rest of a period of the plan can be used in the next one. */
export function rollsOver({ plans }: Pick<Catalog, 'plans'>, id: string): boolean {
  const plan = plans.find((one) => one.id === id);
  return plan?.kind === 'subscription' && plan.rollover;
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}
