import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import * as ReplacedPeriods from '../../../journeys/replaced-periods.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as Team from '../../../journeys/team.ts';
import * as Usage from '../../../journeys/usage.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import { allCalls } from '../../../ledger/usage.ts';
import type { BillingRecord } from '../../../payment/billing-details.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import { isLive } from '../../../payment/subscription.ts';
import type * as TopUp from '../../../payment/top-up.ts';
import { onlyOwn } from '../../request-context.ts';
import type { BillingFacts } from '../account/billing.ts';
import type { KeysFacts } from '../account/keys.ts';
import type { Balance, OverviewFacts } from '../account/overview.ts';
import { type Holdings, isDue } from '../account/plans.ts';
import type { SettingsFacts } from '../account/settings.ts';
import type { BrowserSession } from '../browser-session.ts';

/** The length of the overview's chart. */
const chartDays = 30;
const recentCallsMax = 5;
const keysOnPage = 25;

/** The dependencies of showing an account to its owner. */
export type AccountPageContext = AccountJourney.AccountContext &
  Receipts.ReceiptContext &
  Pick<IdentityContext, 'keys' | 'team'> &
  Pick<LedgerContext, 'usage'> &
  Pick<PaymentContext, 'processor'> &
  Pick<RegistrationContext, 'claiming' | 'oauth'> &
  Pick<SellerContext, 'refundRequests'> & {
    readonly topUps: TopUp.TopUps;
    readonly billingDetails: BillingRecord;
  };

type Visitor = Pick<BrowserSession, 'account' | 'member'>;
type Shown = 'result' | 'codeSentTo' | 'may';

export async function readOverview(
  shop: AccountPageContext,
  { account, member }: Visitor,
): Promise<Omit<OverviewFacts, Shown>> {
  const { fromMs, toMs, days } = Usage.lastDays(chartDays, shop.clock());
  const [overview, daily, calls, keys] = await Promise.all([
    AccountJourney.overview(shop, account),
    shop.usage.daily(account, fromMs, toMs, 'service', allCalls),
    shop.usage.calls(account, fromMs, toMs, null, recentCallsMax),
    AccountKeys.list(shop, account, onlyOwn(member)),
  ]);
  return {
    ...(await holdingsOf(shop, overview)),
    ...{ days, daily, calls, claimed: overview.claimed === true },
    hasKeys: keys.length > 0,
    canClaim: shop.claiming !== null,
  };
}

/** Reads the billing section; its purchases from the one before `before`. */
export async function readBilling(
  shop: AccountPageContext,
  { account, member }: Visitor,
  before: string | null,
): Promise<Omit<BillingFacts, Shown | 'mayChange' | 'refundOf'>> {
  const subscriptions = shop.subscriptions.of(account);
  const [overview, topUp, paid, requests, details, methods, nextPrices] = await Promise.all([
    AccountJourney.overview(shop, account),
    shop.topUps.of(account),
    Receipts.list(shop, account, before),
    shop.refundRequests.of(account),
    shop.billingDetails.of(account),
    subscriptions.then((all) => BillingPortal.methodsOf(shop, { account, member }, all.filter(isLive))),
    subscriptions.then((all) => BillingPortal.nextPricesOf(shop, all.filter(isLive))),
  ]);
  return {
    ...(await holdingsOf(shop, overview)),
    ...{ topUp, details, methods, nextPrices },
    needsEmail: overview.claimed !== true && shop.claiming !== null,
    receipts: paid.receipts,
    ...(await ReplacedPeriods.of(shop, paid.receipts, requests)),
    ...{ older: paid.cursor, before },
    refundRequests: requests.map(RefundRequests.asRefundRequest),
  };
}

/** Reads one page of the keys that a visitor sees. `typed`: the number of the page as it was sent. */
export async function readKeys(
  shop: Pick<AccountPageContext, 'keys' | 'usage' | 'clock'>,
  { account, member }: Visitor,
  typed: string | undefined,
): Promise<Omit<KeysFacts, 'result'>> {
  const { fromMs, toMs } = Usage.lastDays(chartDays, shop.clock());
  const [all, daily] = await Promise.all([
    AccountKeys.list(shop, account, onlyOwn(member)),
    shop.usage.daily(account, fromMs, toMs, 'key', allCalls),
  ]);
  const pages = Math.max(1, Math.ceil(all.length / keysOnPage));
  const page = Math.min(pages, /^[1-9]\d?$/.test(typed ?? '') ? Number(typed) : 1);
  const lastUse = new Map<string, string>();
  for (const { name, day } of daily) if (day > (lastUse.get(name) ?? '')) lastUse.set(name, day);
  const keys = all.slice((page - 1) * keysOnPage, page * keysOnPage);
  const firstDay = new Date(fromMs).toISOString().slice(0, 10);
  return { keys, page, pages, lastUse, days: chartDays, firstDay };
}

export async function readSettings(
  shop: AccountPageContext,
  { account, member, access }: Visitor & Pick<BrowserSession, 'access'>,
): Promise<SettingsFacts> {
  const [person, connections, own, sessions] = await Promise.all([
    shop.accounts.find(account),
    shop.oauth.list(account, onlyOwn(member)),
    member === null ? null : shop.team.find(member.id),
    Team.sessionsOf(shop, member),
  ]);
  return {
    ...{ account, connections, sessions },
    session: access.claims.sid,
    createdMs: person?.createdMs ?? null,
    claimed: person !== null && person.claimedMs !== null,
    email: own?.email ?? person?.email ?? null,
    canClaim: shop.claiming !== null,
    ownerOfOther: await ownerOfOther(shop, { account, member }),
  };
}

/** Returns the address of the owner when the visitor is not one; null for an owner, and for an account without persons. */
export async function ownerOfOther(
  shop: Pick<AccountPageContext, 'accounts' | 'team'>,
  { account, member }: Visitor,
): Promise<string | null> {
  if (member === null || member.role === 'owner') return null;
  const found = (await Team.membershipsOf(shop, member)).find((one) => one.account === account);
  return found?.owner ?? '';
}

type Overview = Awaited<ReturnType<typeof AccountJourney.overview>>;

/** Returns the balance, the plans and the unpaid renewals of an account. */
async function holdingsOf(
  shop: Pick<AccountPageContext, 'processor'>,
  { balance_usd, held_usd, included_remaining, included_usd, ...overview }: Overview,
): Promise<Balance & Holdings & { unpaid: ReadonlyMap<string, BillingPortal.Unpaid> }> {
  const { plans, grants, subscriptions } = overview as unknown as Holdings;
  const all = await Promise.all(
    subscriptions.filter(isDue).map(async ({ id }) => {
      const unpaid = await BillingPortal.unpaidOf(shop, id);
      return unpaid === null ? [] : [[id, unpaid] as const];
    }),
  );
  return {
    balance: String(balance_usd),
    held: String(held_usd),
    included: Number(included_remaining),
    includedUsd: included_usd === undefined ? null : String(included_usd),
    ...{ plans, grants, subscriptions, unpaid: new Map(all.flat()) },
  };
}
