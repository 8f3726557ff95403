import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Included from '../../catalog/included.ts';
import { type TrialPlan, trialOf } from '../../catalog/plan.ts';
import type { TrialState } from '../../identity/trial-proof.ts';
import type { Texts } from '../../text/texts.ts';

/** Returns the member `plan` of a registration. `trial`: the trial that it received, if any. */
export function trialPlan(trial: TrialPlan | null): Record<string, unknown> | null {
  if (trial === null) return null;
  const { id, kind, included } = trial;
  return { id, kind, status: 'active', ...Included.remainingMembers(included) };
}

/**
 * Returns the member `trial` of a response, where the catalogue gives the trial once for each email address, card, wallet or network address.
 * It says only what the caller has proved: never that another person had a trial.
 */
export function trialMember(
  { catalog, texts }: Pick<CatalogContext, 'catalog'> & { readonly texts: Texts },
  state: TrialState,
): { trial?: Record<string, unknown> } {
  const oncePer = trialOf(catalog.plans)?.oncePer ?? [];
  if (oncePer.length === 0 || state === 'none') return {};
  return { trial: { state, once_per: oncePer, message: texts.text(`api.trial.${state}`) } };
}
