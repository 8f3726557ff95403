import type { Catalog } from '../../catalog/catalog.ts';
import type * as Description from '../../catalog/description.ts';
import type { Unpaid } from '../../journeys/billing-portal.ts';
import type { PlanOffer } from '../../journeys/plan-offers.ts';
import type { Html } from './frame.ts';
import type { TryFormFacts } from './try-form.ts';
import type { TrialOutcome } from './try-it.ts';

/** The account of a signed-in visitor, as the shop page shows it. `includedUsd`: the rest of the dollars that plans include; null when there are none. */
export type AccountSummary = {
  balance: string;
  included: number;
  includedUsd: string | null;
  /** True when it has, or had, a plan that includes units or dollars. */
  holdsPlan: boolean;
  /** The rest of its trial in words, null when that is used up; null for an account that never had it. */
  trial: { left: string | null } | null;
  /** True when it has an email address. */
  isClaimed: boolean;
  /** For the samples; null in a page that the browser may keep. */
  token: string | null;
  /** Its next step with each plan, by the plan's id. */
  offers: ReadonlyMap<string, PlanOffer>;
  /** The open invoice of its renewal that was not paid; null when there is none, or it is not known. */
  unpaid: Unpaid | null;
  /** The end of the days in which the rest of the plan of that renewal can still be used; null when nothing is left of it. */
  usableUntil: string | null;
};
/** The "Try it" form: the request, the idempotency key of the call that it makes and, once a request was sent, its outcome. */
export type TryForm = TryFormFacts & { trial: TrialOutcome | null };
/** A purchase form that was refused: the plan, the amount and the promotion code as they were typed, and the fault of each. */
export type RefusedBuy = {
  plan: string;
  amount: string;
  fault: string | null;
  code: string;
  codeFault: string | null;
};

export type ShopFacts = {
  catalog: Catalog;
  description: Description.Description;
  publicUrl: string;
  summary: AccountSummary | null;
  tried: TryForm;
  /** True when the "Try it" form was asked for, and not only its example. */
  isTrying: boolean;
  /** A response of the operation of `tried`; null when the description of the API has none. */
  response: string | null;
  /** Said above the "Try it" form. */
  notice?: Html | null;
  /** The purchase form that was refused, with its fault. */
  refusedBuy?: RefusedBuy;
};
