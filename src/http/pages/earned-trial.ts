import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { covers, proofsOf, trialOf } from '../../catalog/plan.ts';
import { unitOfPlan } from '../../catalog/plan-unit.ts';
import type { Service } from '../../catalog/service.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';
import type { AccountSummary } from './shop-facts.ts';

/** Returns the content of the trial that the visitor can have for an email address; null when there is none. */
export function earnedTrial(
  texts: Texts,
  { plans, services }: Pick<Catalog, 'plans' | 'services'>,
  summary: Pick<AccountSummary, 'isClaimed' | 'trial'> | null,
): string | null {
  const trial = trialOf(plans);
  if (trial === null || summary?.isClaimed || (summary?.trial ?? null) !== null) return null;
  const [proof, ...others] = proofsOf(trial);
  if (proof !== 'email' || others.length > 0) return null;
  return includedText(texts, trial.included, unitOfPlan(trial, services));
}

/** Returns the content of the trial that a visitor can have for an email address and send requests of `service` with; null when there is none. */
export function earnedTrialFor(
  texts: Texts,
  catalog: Pick<Catalog, 'plans' | 'services'>,
  summary: Parameters<typeof earnedTrial>[2],
  service: Service,
): string | null {
  const trial = trialOf(catalog.plans);
  return trial !== null && covers(trial, service) ? earnedTrial(texts, catalog, summary) : null;
}

/** The button that leads to the form for the email address; a visitor without an account gets one. */
export function trialButton(texts: Texts, quantity: string, isSignedIn: boolean): Html {
  const label = say(texts, 'plans.get_trial', { quantity });
  if (isSignedIn) return html`<a class="button" href="/shop/account#claim">${label}</a>`;
  return html`<form method="post" action="/shop/start"><button>${label}</button></form>`;
}
