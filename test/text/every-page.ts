import * as Money from '@sluice/kernel/money';
import * as CatalogFile from '../../src/catalog/file.ts';
import { errorPage } from '../../src/http/fault-page.ts';
import * as AuthorizePage from '../../src/http/pages/authorize.ts';
import * as CancelPage from '../../src/http/pages/cancel.ts';
import * as CardPage from '../../src/http/pages/card.ts';
import * as ChangePage from '../../src/http/pages/change.ts';
import * as Frame from '../../src/http/pages/frame.ts';
import * as LeavePage from '../../src/http/pages/leave.ts';
import * as PaidPage from '../../src/http/pages/paid.ts';
import * as PaymentPage from '../../src/http/pages/payment.ts';
import { planAction } from '../../src/http/pages/plan-action.ts';
import { codeField } from '../../src/http/pages/plan-card.ts';
import * as PlanHolderPage from '../../src/http/pages/plan-holder.ts';
import * as ReceiptPage from '../../src/http/pages/receipt.ts';
import { review } from '../../src/http/pages/review.ts';
import * as ShopPage from '../../src/http/pages/shop.ts';
import type { ShopFacts, TryForm } from '../../src/http/pages/shop-facts.ts';
import * as SignInPage from '../../src/http/pages/sign-in.ts';
import type { FieldKind, RequestField } from '../../src/http/pages/try-fields.ts';
import { claimMail } from '../../src/identity/claim-mail.ts';
import type { Mail } from '../../src/identity/mail.ts';
import { signInMail } from '../../src/identity/sign-in-mail.ts';
import type { PlanOffer } from '../../src/journeys/plan-offers.ts';
import type { PurchaseParts } from '../../src/journeys/receipts.ts';
import type { Charging } from '../../src/journeys/top-up-consent.ts';
import { type AccountEvent, accountMail } from '../../src/payment/account-mail.ts';
import type { Order } from '../../src/payment/order.ts';
import * as PlanMail from '../../src/payment/plan-mail.ts';
import { refundMail } from '../../src/payment/refund-mail.ts';
import type { RefundRequest } from '../../src/payment/refund-request.ts';
import type { Subscription } from '../../src/payment/subscription.ts';
import * as TopUpConsent from '../../src/payment/top-up-consent.ts';
import type { Texts } from '../../src/text/texts.ts';
import { accountPages, billingDetails } from './account-pages.ts';
import { referencePages } from './reference-pages.ts';

/** A catalogue whose names are written between angle quotes, so that a test can distinguish them from the shop's own texts. */
const parsed = CatalogFile.parse(
  `storefront: { name: ‹Shop›, description: ‹A shop›, contact: shop@example.com, tax: stripe, tax_note: ‹Taxed› }
upstream: { key: { header: authorization, value: "Bearer {key}" } }
services:
  - slug: search
    name: ‹Search›
    description: ‹Finds things›
    price_usd: "0.002"
    operations:
      - { call: POST /v1/search, units: /count, units_max: { pointer: /max, default: 10, ceiling: 50 } }
      - { call: GET /v1/search, units: 1 }
  - { slug: free, name: ‹Free›, price_usd: "0.00", operations: [{ call: GET /v1/free, units: 0 }] }
plans:
  - { id: trial, name: ‹Trial›, kind: trial, covers: [search], included: 25 }
  - { id: credit, name: ‹Credit›, kind: credit, covers: "*" }
  - { id: month, name: ‹Month›, kind: subscription, covers: "*", price_usd: "9.00", every: month, included: 1000 }
  - { id: year, name: ‹Year›, kind: subscription, covers: "*", price_usd: "90.00", every: year, included: 9000 }
`,
  'catalog.yaml',
);
if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
export const { catalog } = parsed;
const metered = CatalogFile.parse(
  `storefront: { name: ‹Shop›, description: ‹A shop›, contact: shop@example.com }
upstream: { key: { header: authorization, value: "Bearer {key}" } }
services:
  - slug: chat
    name: ‹Chat›
    description: ‹Chats›
    meters:
      output: { unit: result, count: /usage/output }
      search: { unit: result, count: /usage/searches }
      image: { unit: result, count: /usage/images }
      passed: { unit: result, count: { cost: { pointer: /usage/cost, unit: usd, markup: "30%" } } }
    price_by: /model
    prices:
      small: { per: 1000000, output: "0.60", search: "0.01", image: "0.02" }
      large: { per: 1000, output: "0.60", search: "0.01", image: "0.02" }
      default: { per: 1, output: "0.60", search: "0.01", image: "0.02" }
    operations: [{ call: POST /v1/chat, max: { output: 10, search: 1, image: 1, passed: { usd: "0.5" } } }]
plans:
  - { id: credit, name: ‹Credit›, kind: credit, covers: "*" }
`,
  'catalog.yaml',
);
if (!metered.ok) throw new Error(JSON.stringify(metered.faults));
const meteredCatalog = metered.catalog;

const publicUrl = 'https://shop.example.com';
const account = 'acc_1';
const ms = Date.UTC(2030, 0, 31, 12);
const iso = new Date(ms).toISOString();
const usd = (cents: number) => Money.ofCents(cents);
const [operation = missing()] = catalog.operations;

const subscription: Subscription = {
  id: 'sub_1',
  account,
  plan: '‹month›',
  status: 'active',
  renews: true,
  startMs: ms,
  endMs: ms,
  cancelAtPeriodEnd: false,
  nextPlan: null,
  payUrl: null,
};
const to = 'ann@example.com';
const cancellation: CancelPage.Cancellation = {
  ...{ plan: '‹Month›', endMs: ms, isUnpaid: false, left: '1', rollsOver: false },
  ...{ form: { action: '/cancel', subscription: 'sub_1' }, keep: '/keep' },
};
const pastDue: Subscription = { ...subscription, status: 'past_due', payUrl: 'https://pay.example.com/1' };

const purchase = {
  kind: 'purchase' as const,
  purchase: 'pur_1',
  plan: '‹credit›',
  amount_usd: '5.00',
  tax_usd: '0.95',
  total_usd: '5.95',
  reversed_usd: '1.00',
  reversed_tax_usd: '0.19',
  rail: 'card',
  payment: 'pi_1',
  paid_at: iso,
};
const entry = { ...purchase, receipt: 'jws', url: '/receipts/jws', invoice_url: '/invoice' };
const offers: PlanOffer[] = [
  { kind: 'current' },
  { kind: 'next', fromMs: ms },
  { kind: 'resume', subscription: 'sub_1', endMs: ms },
  { kind: 'keep', subscription: 'sub_1' },
  { kind: 'unpaid' },
  { kind: 'pay_first' },
  {
    kind: 'dearer',
    subscription: 'sub_1',
    today: Money.ofCents(100),
    credit: Money.ofCents(1),
    ends: { asset: 'unit', amount: 5 },
  },
  { kind: 'cheaper', subscription: 'sub_1', fromMs: ms },
];
const consent: TopUpConsent.Consent = {
  id: 'tuc_1',
  account,
  plan: 'credit',
  terms: { below: usd(100), amount: usd(500), monthlyMax: usd(2_000) },
  state: 'offered',
  session: null,
  card: { brand: '‹visa›', last4: '4242' } as never,
  email: 'ann@example.com',
  agreedMs: ms,
  endedMs: null,
  expiresMs: ms + 1,
};

/** A form with a field of each kind, and each fault. */
const tryForm: Omit<TryForm, 'trial'> = {
  ...{
    operation,
    path: '/v1/search',
    body: '{"max":1}',
    key: 'try_1',
    typed: null,
    isRaw: false,
    isChecked: true,
  },
  fields: [
    tryField('max', { kind: 'number', isInteger: true, min: 1, max: 5 }, true),
    tryField('least', { kind: 'number', isInteger: false, min: 1, max: null }),
    tryField('most', { kind: 'number', isInteger: false, min: null, max: 1 }),
    tryField('choice', { kind: 'choice', values: ['‹a›', '‹b›'] }),
    tryField('truth', { kind: 'boolean' }),
    tryField('text', { kind: 'text', charsMax: 5 }),
    tryField('list', { kind: 'list' }),
    tryField('json', { kind: 'json' }),
  ],
  faults: [
    { field: 'body.max', fault: 'required' },
    { field: 'body.least', fault: 'too_small' },
    { field: 'body.most', fault: 'too_large' },
    { field: 'body.text', fault: 'number' },
    { field: 'body.json', fault: 'json' },
  ],
  answered: [{ field: 'body.choice', message: '‹not valid›' }],
  highest: { cost: usd(1), units: 5 },
};

function tryField(name: string, input: FieldKind, isRequired = false): RequestField {
  return { place: 'body', keys: [name], description: '‹description›', isRequired, input };
}

function dearer(texts: Texts, isTaxAdded: boolean): Frame.Html {
  const plan = catalog.plans.find((one) => one.kind === 'subscription') ?? missing();
  const card = isTaxAdded ? null : { brand: '‹visa›', last4: '4242' };
  return ChangePage.change(texts, {
    plan,
    unit: 'result',
    present: '‹Month›',
    left: '1',
    today: usd(400),
    isTaxAdded,
    card,
    renewsMs: ms,
  });
}

function cheaper(texts: Texts, isTaxAdded: boolean): Frame.Html {
  const plan = catalog.plans.find((one) => one.kind === 'subscription') ?? missing();
  const asked = {
    plan,
    unit: 'result',
    isTaxAdded,
    card: null,
    present: '‹Year›',
    fromMs: ms,
    rollsOver: isTaxAdded,
  };
  return ChangePage.later(texts, asked);
}

/** The facts on the page of a plan for the person who pays for it. */
const held = {
  key: 'key',
  terms: {
    price: { amount: usd(500), every: 'month' },
    card: { brand: '‹visa›', last4: '4242' } as never,
    unpaid: null,
  },
  catalog,
  mayChangeCard: true,
};
const owing = (nextAttemptMs: number | null) => ({
  ...held,
  terms: { ...held.terms, unpaid: { amount: usd(595), nextAttemptMs } },
});

type Rendered = Frame.Html | string;

/** The contents of every page for buyers, by name, with facts that show each of its parts. */
function contents(texts: Texts): Record<string, Rendered> {
  const shop = (facts: Partial<ShopFacts>, trial: TryForm['trial']) =>
    ShopPage.front(texts, {
      catalog,
      description: new Map([[`post /v1/search`, { summary: '‹Find›' }]]) as never,
      publicUrl,
      summary: {
        balance: '4.50',
        included: 20,
        includedUsd: '19.50',
        holdsPlan: true,
        trial: { left: '‹20›' },
        isClaimed: true,
        token: 'token',
        offers: new Map(),
        unpaid: null,
        usableUntil: '2026-11-28T00:00:00Z',
      },
      tried: { ...tryForm, trial },
      isTrying: false,
      response: '{"count":1}',
      ...facts,
    });
  const card = (
    state: Partial<TopUpConsent.Consent>,
    more: Partial<Charging> & { isTaxed?: boolean } = {},
  ) => {
    const { isTaxed = true } = more;
    const charging = { isDue: false, isPaused: false, chargedThisMonth: usd(500), ...more };
    return CardPage.consent(
      texts,
      { ...consent, ...state },
      { name: '‹Shop›', isTaxed, isOwn: true, charging },
      ms,
    ).main;
  };
  const authorize = {
    client: '‹Client›',
    returnsTo: 'app.example.com',
    request: 'q',
    byMail: true,
    problem: null,
  };
  return {
    shop: shop(
      {},
      {
        kind: 'whole',
        status: 200,
        body: '{}',
        figures: { time: '‹time›', size: '‹size›', cost: '‹cost›', left: '‹left›' },
        faults: [],
      },
    ),
    ...Object.fromEntries(
      [[], [{ keys: ['body', 'choice'], message: '‹not valid›' }]].map((faults) => [
        `shop with an error of the API, ${faults.length}`,
        shop({}, { kind: 'whole', status: 499, body: '{}', figures: { cost: '‹0›' }, faults }),
      ]),
    ),
    ...Object.fromEntries(
      offers.flatMap((offer) =>
        [true, false].map((isTaxed) => [
          `plan: ${offer.kind}, ${isTaxed}`,
          planAction(texts, { id: 'month', name: '‹Month›', price: Money.ofCents(100) }, offer, {
            isTaxAdded: isTaxed,
            code: codeField(texts, 'month', null),
            unpaid: null,
          }),
        ]),
      ),
    ),
    'shop with a refused amount': shop(
      { refusedBuy: { plan: 'credit', amount: 'x', fault: '‹fault›', code: 'X', codeFault: '‹fault›' } },
      null,
    ),
    'purchase review': review(texts, {
      plan: '‹Credit›',
      content: '‹5›',
      due: '‹5›',
      codeResult: '‹result›',
      isTaxAdded: true,
      url: '/x',
    }),
    ...Object.fromEntries(
      [true, false].map((isTaxAdded) => [
        `change to a dearer plan, ${isTaxAdded}`,
        dearer(texts, isTaxAdded),
      ]),
    ),
    'change to a cheaper plan': cheaper(texts, true),
    'change to a cheaper plan, without tax': cheaper(texts, false),
    cancel: CancelPage.cancel(texts, cancellation),
    'cancel what rolls over': CancelPage.cancel(texts, { ...cancellation, rollsOver: true }),
    'cancel as the payer of an unpaid plan': CancelPage.cancel(texts, {
      ...cancellation,
      isUnpaid: true,
      left: null,
    }),
    'leave with a trial': LeavePage.leave(texts, { balance: '0.00', renews: false }),
    left: LeavePage.left(texts, texts.text('leave.done')),
    leave: LeavePage.leave(texts, { balance: '5.00', renews: true }),
    'shop of a stranger': shop({ summary: null }, null),
    'shop with meters': shop({ catalog: meteredCatalog }, null),
    'to the card page': ShopPage.toCardPage(texts, 'https://pay.example.com/1'),
    refused: ShopPage.refused(texts, '‹message›'),
    ...accountPages(texts, catalog, entry),
    'signed out': SignInPage.signedOut(texts, catalog, true, '‹problem›'),
    'signed out, with a wrong token': SignInPage.signedOut(texts, catalog, true, '‹problem›', true),
    sent: SignInPage.sent(
      texts,
      { text: texts.text('sign_in.sent', { email: to }), email: 'ada@gmail.com' },
      15,
    ),
    'links sent': SignInPage.linksSent(texts, texts.text('sign_in.plan_links_sent', { email: to })),
    'link in this browser': SignInPage.openedLink(texts, {
      ...{ token: 't', kind: 'here', email: to, joins: false },
      ...{ visitor: account, problem: null },
    }),
    'link of an invitation': SignInPage.openedLink(texts, {
      ...{ token: 't', kind: 'here', email: to, joins: true },
      ...{ visitor: null, problem: null },
    }),
    'link in another browser': SignInPage.openedLink(texts, {
      ...{ token: 't', kind: 'elsewhere', joins: false },
      ...{ visitor: null, problem: null },
    }),
    'connect as a stranger': AuthorizePage.consent(texts, { ...authorize, visitor: null, trial: '‹25›' }),
    'connect without a trial': AuthorizePage.consent(texts, { ...authorize, visitor: null, trial: null }),
    connect: AuthorizePage.consent(texts, {
      ...authorize,
      visitor: { account, credit: '1.00 USD', included: '‹25›' },
      trial: null,
    }),
    'not connectable': AuthorizePage.unusable(texts, '‹description›'),
    'consent offered': card({}),
    'consent offered, due': card({}, { isDue: true }),
    'consent expired': card({ expiresMs: 0 }),
    'consent agreed': card({ state: 'agreed' }),
    'consent agreed, without tax': card({ state: 'agreed' }, { isTaxed: false }),
    'consent agreed, due': card({ state: 'agreed' }, { isDue: true }),
    'consent agreed, not charged': card({ state: 'agreed' }, { chargedThisMonth: null }),
    'consent paused': card({ state: 'agreed' }, { isPaused: true }),
    'consent ended': card({ state: 'ended', endedMs: ms }),
    'consent to end': CardPage.stopping(texts, consent).main,
    'card saved': CardPage.subscriptionCard(texts).main,
    'card cancelled': CardPage.cancelled(texts).main,
    'card unavailable': CardPage.unavailable(texts).main,
    'card unknown': CardPage.unknown(texts).main,
    'plan unknown': CardPage.unknownPlan(texts, true).main,
    'links of plans': SignInPage.planLinks(texts, true, '‹problem›'),
    'plan that renews': PlanHolderPage.plan(texts, subscription, held),
    'plan that changes': PlanHolderPage.plan(texts, { ...subscription, nextPlan: '‹year›' }, held),
    'plan without a known price': PlanHolderPage.plan(
      texts,
      { ...subscription, nextPlan: '‹year›' },
      { ...held, terms: { price: null, card: null, unpaid: null } },
    ),
    'plan past due': PlanHolderPage.plan(texts, pastDue, held),
    'plan past due, charged again': PlanHolderPage.plan(texts, pastDue, owing(ms)),
    'plan past due, not charged again': PlanHolderPage.plan(texts, pastDue, owing(null)),
    'plan cancelled': PlanHolderPage.plan(texts, { ...subscription, cancelAtPeriodEnd: true }, held),
    'plan ended': PlanHolderPage.plan(texts, { ...subscription, status: 'expired' }, held),
    ...referencePages(texts, catalog, operation),
  };
}

/** The pages before and after the card page, by name. */
function paymentPages(texts: Texts): Record<string, PaymentPage.PaymentPage> {
  const bought = { plan: '‹Credit›', amount: '5.00' };
  const sold = { amount: '5.00', plan: '‹Credit›', period: null, receipt: entry };
  const own = {
    kind: 'own' as const,
    ...{
      balance: '5.00',
      isSignedIn: true,
      canClaim: true,
      guide: '/auth.md',
    },
  };
  const tokens = { access: 'token', assertion: 'assertion', lastDay: '2030-01-31' };
  const parts = (refunded: Money.Money): PurchaseParts => ({
    lines: [
      { kind: 'bought', amount: usd(1000) },
      { kind: 'unused', order: 'pur_2', amount: usd(-400) },
      { kind: 'other', text: '‹line of the processor›', amount: usd(100) },
      { kind: 'adjustment', amount: usd(-200) },
    ],
    plans: new Map([['pur_2', '‹credit›']]),
    period: { startMs: ms, endMs: ms },
    isRenewal: true,
    reversals: [
      { kind: 'refund', amount: refunded, atMs: ms },
      { kind: 'dispute', amount: refunded, atMs: ms },
    ],
    reversed: Money.ofMicro(refunded * 2),
  });
  const capped = {
    ...parts(usd(100)),
    reversed: usd(50),
    lines: [{ kind: 'bought' as const, amount: null }],
  };
  const receipt = (rail: string, of: PurchaseParts | null, tax_usd: string, plan = 'month') =>
    ReceiptPage.receipt(
      texts,
      {
        signed: { ...purchase, rail, tax_usd, plan, account, issuer: publicUrl, issuedMs: ms },
        jws: 'jws',
        parts: of,
        isBuyer: rail !== 'x402',
        email: 'ann@example.com',
        details: billingDetails,
        card: rail === 'top_up' ? { brand: 'visa', last4: '4242' } : null,
      },
      catalog,
    );
  const call = {
    kind: 'call' as const,
    call: 'call_1',
    operation: 'POST /v1/search',
    service: 'search',
    units: 5,
    cost_usd: '0.005000',
    balance_usd: '1.00',
    account,
    issuer: publicUrl,
    issuedMs: ms,
  };
  return {
    paid: PaidPage.paid(texts, { ...sold, buyer: { ...own, tokens } }),
    'paid without tokens': PaidPage.paid(texts, { ...sold, buyer: { ...own, tokens: null } }),
    'paid for a plan': PaidPage.paid(texts, {
      ...sold,
      period: { included: '‹200,000 results›', end: { ms: 0, renews: true } },
      buyer: { ...own, tokens: null },
    }),
    'paid before': PaidPage.paid(texts, { ...sold, buyer: { ...own, isSignedIn: false, tokens: null } }),
    'paid for a program': PaidPage.paid(texts, { ...sold, receipt: null, buyer: { kind: 'program' } }),
    subscribed: PaymentPage.subscribed(texts),
    frozen: PaymentPage.barred(texts, 'frozen', 'help@example.com'),
    closed: PaymentPage.barred(texts, 'closed', 'help@example.com'),
    pending: PaymentPage.pending(texts, bought),
    slow: PaymentPage.slow(texts, bought),
    'already paid': PaymentPage.alreadyPaid(texts, bought, '/receipts/1'),
    'already paid by another': PaymentPage.alreadyPaid(texts, null, null),
    cancelled: PaymentPage.cancelled(texts, '/checkout/1', { ...bought, expiresMs: ms }),
    'cancelled without a purchase': PaymentPage.cancelled(texts, '/checkout/1', null),
    elsewhere: PaymentPage.elsewhere(texts, '/checkout/1'),
    'to card page': PaymentPage.toCardPage(texts, '/checkout/1'),
    expired: PaymentPage.expired(texts),
    unavailable: PaymentPage.unavailable(texts),
    unknown: PaymentPage.unknown(texts),
    'receipt of a renewal': receipt('invoice', parts(usd(100)), '0.95'),
    'receipt of a top-up': receipt('top_up', capped, '0.00', 'year'),
    'receipt of a stablecoin': receipt('x402', null, '0.00', 'credit'),
    'receipt of a call': ReceiptPage.receipt(
      texts,
      { signed: call, jws: 'jws', parts: null, isBuyer: false, email: null, details: null, card: null },
      catalog,
    ),
  };
}

/** Every page for buyers as HTML, by name. */
export async function everyPage(texts: Texts): Promise<[name: string, html: string][]> {
  const context = { catalog, texts };
  const pages = Object.entries(contents(texts)).map(
    ([name, main]) =>
      [name, Frame.respondWithPage(200, context, { title: '‹title›', main: main as Frame.Html })] as const,
  );
  const payments = Object.entries(paymentPages(texts)).map(
    ([name, page]) => [name, PaymentPage.respond(200, context, page)] as const,
  );
  const again = { target: '/shop/try', form: new URLSearchParams({ path: '‹path›' }) };
  const errors = [400, 401, 402, 403, 404, 405, 410, 413, 429, 500, 503].map((status) => {
    const fault = { status, message: '‹message›', headers: { 'retry-after': '2' }, requestId: 'req_1' };
    return [`error ${status}`, errorPage(context, { ...fault, ...(status >= 429 && { again }) })] as const;
  });
  return Promise.all(
    [...pages, ...payments, ...errors].map(async ([name, response]) => [name, await response.text()]),
  );
}

/** Every mail, by name. */
export function everyMail(texts: Texts): [name: string, mail: Mail][] {
  const shop = { name: '‹Shop›', publicUrl, texts };
  const claim = { to, code: '123456', name: shop.name, publicUrl };
  const order = { id: 'pur_1', amount: usd(500), tax: usd(95) };
  const request: RefundRequest = {
    purchase: 'pur_1',
    account,
    plan: '‹credit›',
    paid: usd(500),
    paidTax: usd(95),
    amount: usd(100),
    tax: usd(19),
    unspent: usd(50),
    reason: '‹reason›',
    askedMs: ms,
    state: 'open',
    refunded: usd(0),
    refundedTax: usd(0),
    answer: null,
    declinedMs: null,
  };
  const failed = { amount: usd(595), card: { brand: '‹visa›', last4: '4242' }, nextAttemptMs: ms };
  const unknownFailure = { amount: null, card: null, nextAttemptMs: null };
  const planName = (id: string) => id.replace(/^‹./, (start) => start.toUpperCase());
  const link = { to, name: shop.name, publicUrl, lifeMs: 900_000, link: `${publicUrl}/link` };
  return [
    ['claim', claimMail(texts, { ...claim, known: false })],
    ['claim of a known address', claimMail(texts, { ...claim, known: true })],
    ['sign-in', signInMail(texts, { ...link, invitation: null })],
    ['join', signInMail(texts, { ...link, invitation: { inviter: to, owner: '‹owner›' } })],
    [
      'no account',
      signInMail(texts, { to, name: shop.name, publicUrl, lifeMs: 900_000, link: null, invitation: null }),
    ],
    ['past due', PlanMail.renewalFailed(shop, pastDue, '‹Month›', `${publicUrl}/plan`, to, failed, ms)],
    [
      'past due without a page',
      PlanMail.renewalFailed(shop, subscription, '‹Month›', `${publicUrl}/plan`, to, unknownFailure, ms),
    ],
    ['plans', PlanMail.links(shop, paidPlans(`${publicUrl}/plan`), to)],
    ['charge', TopUpConsent.chargeMail(shop, order, consent, usd(500), to, `${publicUrl}/receipts/1`)],
    [
      'charge of an unknown card',
      TopUpConsent.chargeMail(
        shop,
        { ...order, tax: usd(0) },
        { ...consent, card: null },
        usd(500),
        to,
        null,
      ),
    ],
    ['refund request', refundMail(to, shop, '‹Credit›', request)],
    ...accountEvents().map(([name, event]): [string, Mail] => [
      name,
      accountMail({ ...shop, planName }, to, event, `${publicUrl}/receipts/1`, failed),
    ]),
  ];
}

/** The plans of a letter: in each state, with and without a known price. */
function paidPlans(page: string): PlanMail.PaidPlan[] {
  const known = { one: subscription, name: '‹Month›', next: null, price: usd(500), page };
  const all = [known, { ...known, next: '‹Year›' }];
  return [...all, ...all.map((one) => ({ ...one, price: null })), { ...known, one: pastDue }];
}

/** Every event that an account is mailed about, by name. */
function accountEvents(): [name: string, event: AccountEvent][] {
  const order = { id: 'pur_1', plan: '‹credit›', rail: 'card', amount: usd(500), tax: usd(95), period: null };
  const credit = { ...order, periodEndMs: null } as Order;
  const period = { ...order, tax: usd(0), rail: 'invoice', periodEndMs: ms } as Order;
  const terms = { price: usd(900), replaces: { order: 'pur_0', credit: usd(400) } };
  const change = { ...period, period: { terms } } as Order;
  const reversal = { amount: usd(100), tax: usd(19) };
  return [
    ['payment', { kind: 'paid', order: credit }],
    ['renewal', { kind: 'paid', order: period }],
    ['change of plan', { kind: 'paid', order: change }],
    ['unpaid renewal', { kind: 'unpaid', subscription: pastDue, usableUntilMs: ms }],
    ['refund of a part', { kind: 'refunded', order: credit, reversal, left: usd(476) }],
    ['full refund', { kind: 'refunded', order: { ...credit, rail: 'x402' }, reversal, left: usd(0) }],
    ['low balance', { kind: 'low', plan: '‹credit›', balance: usd(40) }],
  ];
}

function missing(): never {
  throw new Error('the catalogue sells nothing');
}
