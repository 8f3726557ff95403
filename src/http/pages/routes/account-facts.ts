import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import type * as TopUp from '../../../payment/top-up.ts';
import type * as Page from '../account.ts';

const dayMs = 86_400_000;
/** The span of the usage that the page shows. */
export const spanMs = 30 * dayMs;
const shownCallsMax = 25;

/** The dependencies of showing an account to its owner. */
export type AccountPageContext = AccountJourney.AccountContext &
  Receipts.ReceiptContext &
  Pick<IdentityContext, 'keys'> &
  Pick<LedgerContext, 'usage'> &
  Pick<RegistrationContext, 'claiming' | 'oauth'> &
  Pick<SellerContext, 'refundRequests'> & { readonly topUps: TopUp.TopUps };
/** Reads everything that the account page shows. */
export async function readFacts(
  shop: AccountPageContext,
  account: string,
): Promise<Omit<Page.AccountFacts, 'result' | 'codeSentTo'>> {
  const toMs = shop.clock() + 1;
  const fromMs = toMs - spanMs;
  const [overview, person, topUp, daily, byService, calls, keys, connections, paid, requests] =
    await Promise.all([
      AccountJourney.overview(shop, account),
      shop.accounts.find(account),
      shop.topUps.of(account),
      shop.usage.daily(account, fromMs, toMs),
      shop.usage.sums(account, fromMs, toMs, 'service'),
      shop.usage.calls(account, fromMs, toMs, null, shownCallsMax),
      AccountKeys.list(shop, account),
      shop.oauth.list(account),
      Receipts.list(shop, account, null),
      shop.refundRequests.of(account),
    ]);
  const isMetered = byService.some(({ quantities }) => quantities !== null);
  const byModel = isMetered ? await shop.usage.sums(account, fromMs, toMs, 'model') : [];
  const { plans, grants, claimed, balance_usd, held_usd, included_remaining, subscriptions } = overview;
  return {
    ...{ account, topUp, calls, keys, connections, claimed: claimed === true },
    ...{ balance: String(balance_usd), held: String(held_usd), included: Number(included_remaining) },
    includedUsd: overview.included_usd === undefined ? null : String(overview.included_usd),
    email: person?.email ?? null,
    plans: plans as Page.AccountFacts['plans'],
    grants: grants as Page.AccountFacts['grants'],
    subscriptions: subscriptions as Page.AccountFacts['subscriptions'],
    used: { days: everyDay(fromMs, toMs), daily, byService, byModel },
    receipts: paid.receipts,
    refundRequests: requests.map(RefundRequests.asRefundRequest),
    canClaim: shop.claiming !== null,
  };
}

/** The days of a span, the oldest first. */
function everyDay(fromMs: number, toMs: number): string[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / dayMs) }, (_, at) =>
    new Date(toMs - at * dayMs).toISOString().slice(0, 10),
  ).reverse();
}
