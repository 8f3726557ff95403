import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as AccountKey from '../../../identity/account-key.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import { denial } from '../../../identity/permission.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as OAuth from '../../../journeys/oauth.ts';
import * as PlanChange from '../../../journeys/plan-change.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as SubscriptionCard from '../../../journeys/subscription-card.ts';
import * as TopUps from '../../../journeys/top-up.ts';
import type { CheckoutContext, PaymentContext } from '../../../payment/payment-context.ts';
import * as RefundRequest from '../../../payment/refund-request.ts';
import * as TopUp from '../../../payment/top-up.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import * as CallsCsv from '../../api/calls-csv.ts';
import type { Call, Env } from '../../request-context.ts';
import * as Page from '../account.ts';
import * as Awaited from '../awaited-code.ts';
import * as BrowserSession from '../browser-session.ts';
import * as FormResult from '../form-result.ts';
import * as Frame from '../frame.ts';
import * as SignInPage from '../sign-in.ts';
import * as Cancel from './account-cancel.ts';
import { confirmCode, sendCode } from './account-claim.ts';
import * as AccountFacts from './account-facts.ts';
import { bad, badField, faulty, good, type Result, type Submission } from './account-form.ts';
import { changePlan } from './account-plan.ts';

const dayMs = 86_400_000;

type Action = (shop: AccountPagesContext, submission: Submission) => Promise<Result>;

/** The dependencies of the page and its forms. Each form takes only its own part. */
type AccountPagesContext = AccountFacts.AccountPageContext &
  CheckoutContext &
  IdentityContext &
  Pick<RegistrationContext, 'workSecret'> &
  OAuth.OAuthContext;

/** The forms of the account page, by their path below `/shop/account/`. */
const actions: Readonly<Record<string, Action>> = {
  keys: createKey,
  'keys/end': revokeKey,
  'connections/end': disconnect,
  cancel,
  change: changePlan,
  card: changeCard,
  resume,
  'top-up': startTopUp,
  'top-up/end': endTopUp,
  refund: requestRefund,
  claim: sendCode,
  'claim/complete': confirmCode,
};

/** The forms that end charges. */
const endsCharges: ReadonlySet<string> = new Set(['cancel', 'top-up/end']);

/** The account page and its forms: the same journeys as under `/account`, for people. */
export function accountPages(shop: AccountPagesContext, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/shop/account', async (c) => {
    const visitor = await BrowserSession.readSession(shop, c);
    if (visitor === null) return signedOut(shop, 200, null);
    const sent = FormResult.read(shop, c);
    const codeSentTo = c.req.query('claim') === 'new' ? null : Awaited.read(shop, c);
    const result = sent ?? (await confirmed(shop, visitor, c.req.query('paid')));
    return page(shop, c, visitor, { result, codeSentTo }, sent === null ? [] : [FormResult.forgotten(shop)]);
  });

  app.get(Cancel.path, async (c) => {
    const visitor = await BrowserSession.readSession(shop, c);
    if (visitor === null) return signedOut(shop, 200, null);
    return Cancel.respondWithQuestion(shop, visitor.account, c.req.query('subscription') ?? '');
  });

  for (const [path, act] of Object.entries(actions))
    app.post(`/shop/account/${path}`, async (c) => {
      const visitor = await BrowserSession.readSession(shop, c);
      if (visitor === null) return signedOut(shop, 401, shop.texts.text('result.no_session'));
      const form = await BrowserSession.fields(c);
      if (path === 'cancel' && form.get('confirm') !== 'yes')
        return Cancel.redirectToQuestion(form.get('subscription') ?? '');
      const { account } = visitor;
      const isFrozen = shop.tokenVerifier.frozen.has(account);
      const action = endsCharges.has(path) ? 'end_charges' : 'change';
      const isDenied = denial({ isFrozen, isKey: false }, action) !== null;
      const result = isDenied
        ? bad(shop.texts.text('result.frozen'))
        : await act(shop, { c, visitor, account, form, clientAddressHeader });
      if (!result.isBad) return done(shop, visitor, path, form, result);
      const refused = { path, input: form, faults: result.faults ?? [] };
      return page(shop, c, visitor, { result: { ...result, refused }, codeSentTo: Awaited.read(shop, c) });
    });

  app.get('/shop/account/calls.csv', async (c) => {
    const visitor = await BrowserSession.readSession(shop, c);
    if (visitor === null) return signedOut(shop, 401, shop.texts.text('result.no_session'));
    return CallsCsv.respondWithCalls(shop, visitor.account, AccountFacts.spanMs);
  });
  return app;
}

async function createKey(
  shop: Pick<IdentityContext, 'clock' | 'keys'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const days = form.get('days')?.trim() || null;
  const budget_usd = form.get('budget_usd')?.trim() || null;
  if (days !== null && !/^[1-9]\d{0,3}$/.test(days))
    return badField(shop.texts.text('result.key_days'), 'days');
  const expires_at = days === null ? null : new Date(shop.clock() + Number(days) * dayMs).toISOString();
  const parsed = AccountKey.parse(
    shop.texts,
    { name: form.get('name'), budget_usd, expires_at },
    [],
    shop.clock(),
  );
  if (parsed.kind === 'faults') return faulty(shop, parsed.faults);
  const made = await AccountKeys.make(shop, account, parsed.limits);
  if (made === null) return bad(shop.texts.text('result.keys_max', { keys: AccountKey.keysMax }));
  return { text: shop.texts.text('result.key_created'), secret: made.key ?? null, isBad: false };
}

async function revokeKey(
  shop: Pick<IdentityContext, 'clock' | 'keys' | 'revocations'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  return (await AccountKeys.revoke(shop, account, form.get('key') ?? ''))
    ? good(shop.texts.text('result.key_revoked'))
    : bad(shop.texts.text('result.no_key'));
}

async function disconnect(
  shop: OAuth.OAuthContext & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  return (await OAuth.disconnect(shop, account, form.get('connection') ?? ''))
    ? good(shop.texts.text('result.disconnected'))
    : bad(shop.texts.text('result.not_connected'));
}

async function cancel(shop: PaymentContext & TextsContext, { account, form }: Submission): Promise<Result> {
  const changed = await PlanChange.cancel(shop, account, { subscription: form.get('subscription') ?? '' });
  return changed.kind === 'done'
    ? good(shop.texts.text('result.cancelled'))
    : bad(shop.texts.text('result.no_subscription'));
}

async function changeCard(shop: CheckoutContext, { account, form }: Submission): Promise<Result> {
  const card = await SubscriptionCard.openCardPage(shop, account, form.get('subscription') ?? '');
  if (card.kind === 'no_subscription') return bad(shop.texts.text('result.no_subscription'));
  const text = shop.texts.text('result.card_page');
  return {
    text,
    secret: null,
    isBad: false,
    link: { url: card.url, text: shop.texts.text('result.card_page_link') },
  };
}

async function resume(shop: PaymentContext & TextsContext, { account, form }: Submission): Promise<Result> {
  const changed = await PlanChange.resume(shop, account, { subscription: form.get('subscription') ?? '' });
  return changed.kind === 'done'
    ? good(shop.texts.text('result.resumed'))
    : bad(shop.texts.text('result.not_resumed'));
}

async function startTopUp(
  shop: TopUps.TopUpTermsContext & Pick<CatalogContext, 'catalog' | 'publicUrl'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const plan = TopUps.planOf(shop);
  if (plan === null) return bad(shop.texts.text('result.no_credit_plan'));
  const parsed = TopUp.parse(shop.texts, Object.fromEntries(form), plan);
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const changed = await TopUps.change(shop, account, plan, parsed.kind === 'on' ? parsed.terms : null);
  if (changed.kind === 'done') return good(shop.texts.text('result.top_up_on'));
  return {
    text: shop.texts.text('result.top_up_terms'),
    secret: null,
    isBad: false,
    link: { url: TopUps.pageOf(shop, changed.consent), text: shop.texts.text('result.top_up_terms_link') },
  };
}

async function endTopUp(
  shop: Pick<TopUps.TopUpTermsContext, 'topUps'> & TextsContext,
  { account }: Submission,
): Promise<Result> {
  await shop.topUps.end(account);
  return good(shop.texts.text('result.top_up_off'));
}

async function requestRefund(
  shop: Pick<PaymentContext, 'orders'> & Pick<SellerContext, 'refundRequests'> & TextsContext,
  { account, form }: Submission,
): Promise<Result> {
  const amount_usd = form.get('amount_usd')?.trim();
  const parsed = RefundRequest.parse(shop.texts, {
    reason: form.get('reason'),
    ...(amount_usd && { amount_usd }),
  });
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const asked = await RefundRequests.ask(shop, account, form.get('purchase') ?? '', parsed);
  switch (asked.kind) {
    case 'asked':
      return asked.isNew
        ? good(shop.texts.text('result.refund_asked'))
        : bad(shop.texts.text('result.refund_asked_before'));
    case 'too_much':
      return bad(
        shop.texts.text('result.refund_too_much', { amount: shop.texts.usd(Money.format(asked.left)) }),
      );
    case 'not_paid':
    case 'unknown_purchase':
      return bad(shop.texts.text('result.refund_not_paid'));
  }
}

/** Redirects to the account page, which shows the result once: a reload of that page repeats nothing. */
async function done(
  shop: AccountPagesContext,
  visitor: BrowserSession.BrowserSession,
  path: string,
  form: URLSearchParams,
  result: Result,
): Promise<Response> {
  const location = `/shop/account${path === 'claim' ? '#claim' : ''}`;
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  headers.append('set-cookie', await BrowserSession.prolonged(shop, visitor));
  headers.append('set-cookie', FormResult.remembered(shop, result));
  if (path === 'claim') headers.append('set-cookie', Awaited.remembered(shop, form.get('email') ?? ''));
  if (path === 'claim/complete') headers.append('set-cookie', Awaited.forgotten(shop));
  return new Response(null, { status: 303, headers });
}

/** Confirms a purchase of the visitor's own account that was just paid. */
async function confirmed(
  shop: AccountPagesContext,
  { account }: BrowserSession.BrowserSession,
  purchase: string | undefined,
): Promise<Result | null> {
  const receipt = purchase === undefined ? null : await Receipts.ofPurchase(shop, account, purchase);
  if (receipt === null) return null;
  const { texts } = shop;
  const text = texts.text('result.paid', { amount: texts.usd(receipt.total_usd) });
  const link = { url: receipt.url, text: texts.text('result.paid_receipt') };
  return { ...good(text), link };
}

async function page(
  shop: AccountFacts.AccountPageContext & TextsContext,
  c: Call,
  visitor: BrowserSession.BrowserSession,
  shown: Pick<Page.AccountFacts, 'result' | 'codeSentTo'>,
  cookies: readonly string[] = [],
): Promise<Response> {
  c.get('entry').account = visitor.account;
  const facts = await AccountFacts.readFacts(shop, visitor.account);
  const main = Page.account(shop.texts, { ...facts, ...shown }, shop.catalog);
  const more = { 'set-cookie': await BrowserSession.prolonged(shop, visitor) };
  const title = shop.texts.text('account.title');
  const response = Frame.respondWithPage(shown.result?.isBad ? 422 : 200, shop, { title, main, more });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

function signedOut(
  shop: Pick<CatalogContext, 'catalog'> & Pick<RegistrationContext, 'claiming'> & TextsContext,
  status: number,
  problem: string | null,
): Response {
  const main = SignInPage.signedOut(shop.texts, shop.claiming !== null, problem);
  return Frame.respondWithPage(status, shop, { title: shop.texts.text('account.title'), main });
}
