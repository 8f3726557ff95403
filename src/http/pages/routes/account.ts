import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as AccountKey from '../../../identity/account-key.ts';
import * as Claim from '../../../identity/claim.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import { denial } from '../../../identity/permission.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Claiming from '../../../journeys/claiming.ts';
import * as OAuth from '../../../journeys/oauth.ts';
import * as PlanChange from '../../../journeys/plan-change.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as SubscriptionCard from '../../../journeys/subscription-card.ts';
import * as TopUps from '../../../journeys/top-up.ts';
import type { CheckoutContext, PaymentContext } from '../../../payment/payment-context.ts';
import * as RefundRequest from '../../../payment/refund-request.ts';
import * as TopUp from '../../../payment/top-up.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import * as CallsCsv from '../../api/calls-csv.ts';
import { address, type Call, type Env } from '../../request-context.ts';
import * as Page from '../account.ts';
import * as BrowserSession from '../browser-session.ts';
import * as FormFaults from '../form-faults.ts';
import * as Frame from '../frame.ts';
import * as SignInPage from '../sign-in.ts';
import * as AccountFacts from './account-facts.ts';

const dayMs = 86_400_000;

type Result = Page.FormResult;
type Submission = {
  c: Call;
  visitor: BrowserSession.BrowserSession;
  account: string;
  form: URLSearchParams;
  clientAddressHeader: string | null;
};
type Action = (shop: AccountPagesContext, submission: Submission) => Promise<Result>;

/** The dependencies of the page and its forms. Each form takes only its own part. */
type AccountPagesContext = AccountFacts.AccountPageContext &
  CheckoutContext &
  IdentityContext &
  OAuth.OAuthContext;

/** The forms of the account page, by their path below `/shop/account/`. */
const actions: Readonly<Record<string, Action>> = {
  keys: createKey,
  'keys/end': revokeKey,
  'connections/end': disconnect,
  cancel,
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
    return visitor ? page(shop, c, visitor, null) : signedOut(shop, 200, null);
  });

  for (const [path, act] of Object.entries(actions))
    app.post(`/shop/account/${path}`, async (c) => {
      const visitor = await BrowserSession.readSession(shop, c);
      if (visitor === null) return signedOut(shop, 401, shop.texts.text('result.no_session'));
      const form = await BrowserSession.fields(c);
      const { account } = visitor;
      const isFrozen = shop.tokenVerifier.frozen.has(account);
      const action = endsCharges.has(path) ? 'end_charges' : 'change';
      const isDenied = denial({ isFrozen, isKey: false }, action) !== null;
      const result = isDenied
        ? bad(shop.texts.text('result.frozen'))
        : await act(shop, { c, visitor, account, form, clientAddressHeader });
      return page(shop, c, visitor, result, path === 'claim' && result?.isBad === false);
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
  if (days !== null && !/^[1-9]\d{0,3}$/.test(days)) return bad(shop.texts.text('result.key_days'));
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

async function sendCode(
  shop: Claiming.ClaimContext & Pick<RegistrationContext, 'claiming'>,
  { c, form, clientAddressHeader }: Submission,
): Promise<Result> {
  const parsed = Claim.parseOpening(shop.texts, {
    claim_token: BrowserSession.assertionOf(shop, c) ?? '',
    email: form.get('email'),
  });
  if (shop.claiming === null) return bad(shop.texts.text('result.no_mail'));
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const opened = await Claiming.startClaim(shop, shop.claiming, parsed, address(c, clientAddressHeader));
  return opened.kind === 'opened'
    ? good(shop.texts.text('result.code_sent'))
    : bad(shop.texts.text(claimRefusals[opened.kind]));
}

async function confirmCode(
  shop: Claiming.ClaimContext & Pick<RegistrationContext, 'claiming'>,
  { c, visitor, form }: Submission,
): Promise<Result> {
  const parsed = Claim.parseCompletion(shop.texts, {
    claim_token: BrowserSession.assertionOf(shop, c) ?? '',
    otp: form.get('otp'),
  });
  if (shop.claiming === null) return bad(shop.texts.text('result.no_mail'));
  if (parsed.kind === 'fault') return faulty(shop, parsed.faults);
  const done = await Claiming.complete(shop, shop.claiming, parsed);
  if (done.kind !== 'claimed') return bad(shop.texts.text(claimRefusals[done.kind]));
  visitor.account = done.account;
  return good(shop.texts.text(done.joined ? 'result.merged' : 'result.claimed'));
}

const claimRefusals = {
  bad_token: 'result.no_session',
  claimed: 'result.has_email',
  taken: 'result.has_email',
  limited: 'result.too_many_codes',
  wrong: 'result.wrong_code',
  none: 'result.no_code',
  frozen: 'result.account_frozen',
} as const;

async function page(
  shop: AccountFacts.AccountPageContext & TextsContext,
  c: Call,
  visitor: BrowserSession.BrowserSession,
  result: Result,
  awaitsCode = false,
): Promise<Response> {
  c.get('entry').account = visitor.account;
  const facts = await AccountFacts.readFacts(shop, visitor.account);
  const main = Page.account(shop.texts, { ...facts, result, awaitsCode }, shop.catalog);
  const more = { 'set-cookie': await BrowserSession.prolonged(shop, visitor) };
  return Frame.respondWithPage(result?.isBad ? 422 : 200, shop, {
    title: shop.texts.text('account.title'),
    main,
    more,
  });
}

function signedOut(
  shop: Pick<CatalogContext, 'catalog'> & Pick<RegistrationContext, 'claiming'> & TextsContext,
  status: number,
  problem: string | null,
): Response {
  const main = SignInPage.signedOut(shop.texts, shop.claiming !== null, problem);
  return Frame.respondWithPage(status, shop, { title: shop.texts.text('account.title'), main });
}

function good(text: string): Result {
  return { text, secret: null, isBad: false };
}

function bad(text: string): Result {
  return { text, secret: null, isBad: true };
}

function faulty({ texts }: TextsContext, faults: readonly { field: string; message: string }[]): Result {
  return bad(FormFaults.sentence(texts, faults));
}
