import * as Money from '@sluice/kernel/money';
import { withoutBudget } from '@sluice/kernel/statement-deadline';
import { nameOf } from '../../../catalog/plan-name.ts';
import { unitOfPlan } from '../../../catalog/plan-unit.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import { balance } from '../../../journeys/balance.ts';
import type { ReturnResult } from '../../../journeys/checkout.ts';
import * as PurchaseTokens from '../../../journeys/purchase-tokens.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import { newAccount, session } from '../../../journeys/registration.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import { type Order, ownAccount } from '../../../payment/order.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import { includedText } from '../../../text/included-text.ts';
import { type Call, isConnected } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Page from '../paid.ts';
import * as PaymentPage from '../payment.ts';

export type PaidPageContext = CheckoutContext &
  IdentityContext &
  Pick<LedgerContext, 'statements'> &
  Pick<RegistrationContext, 'claiming'>;

/**
 * Shows the payer's browser what it paid, with the receipt. When the payment created the account, it is signed in to that account, once, and
 * shown its tokens, once. The address of the card page is not shown: the page may have been filled in by another person, to whom its address was sent.
 */
export async function confirmation(
  shop: PaidPageContext,
  c: Call,
  { order, account }: Extract<ReturnResult, { kind: 'paid' }>,
  browser: string,
): Promise<Response> {
  const { texts } = shop;
  const isOwn = account === ownAccount(order);
  // Tokens are issued once, so what can fail comes before.
  const [period, left, receipt, person, visitor] = await Promise.all([
    periodOf(shop, account, order),
    balance(shop, account),
    Receipts.ofPurchase(shop, account, order.id),
    shop.accounts.find(account),
    BrowserSession.readSession(shop, c),
  ]);
  const evidence = PurchaseTokens.browserEvidence(browser);
  const tokens = await withoutBudget(() => PurchaseTokens.issue(shop, order, evidence, () => isConnected(c)));
  const entered = tokens !== null && visitor === null;
  const facts = {
    amount: Money.format(order.amount),
    plan: nameOf(shop.catalog, order.plan),
    period,
    receipt,
  };
  if (!isOwn)
    return PaymentPage.respond(200, shop, Page.paid(texts, { ...facts, buyer: { kind: 'program' } }));
  const isSignedIn = entered || visitor?.account === account;
  const page = Page.paid(texts, {
    ...facts,
    buyer: {
      kind: 'own',
      balance: Money.format(left),
      isSignedIn,
      canClaim: shop.claiming !== null && (person?.email ?? null) === null,
      tokens: tokens && {
        access: tokens.access.token,
        assertion: tokens.assertion.token,
        lastDay: new Date(tokens.assertion.claims.expiresMs).toISOString().slice(0, 10),
      },
      guide: `${shop.publicUrl}/auth.md`,
    },
  });
  return PaymentPage.respond(200, shop, page, entered ? await signIn(shop, account) : {});
}

/** Returns the period of a plan that an order bought; null for credit. */
async function periodOf(
  { catalog, orders, texts }: PaidPageContext,
  account: string,
  order: Order,
): Promise<Page.PaidPeriod | null> {
  const plan = [...catalog.plans, ...catalog.retired].find(({ id }) => id === order.plan);
  if (order.period === null || plan?.kind !== 'subscription') return null;
  const running = (await orders.periods(account)).find((one) => one.order === order.id);
  return {
    included: includedText(texts, plan.included, unitOfPlan(plan, catalog.services)),
    end: running === undefined ? null : { ms: running.endMs, renews: running.renews },
  };
}

/** Signs the payer's browser in to the new account, in a session of its own. */
async function signIn(shop: IdentityContext, account: string): Promise<Record<string, string>> {
  const { assertion } = await session(shop, newAccount(account));
  return { 'set-cookie': BrowserSession.remembered(shop, assertion.token) };
}
