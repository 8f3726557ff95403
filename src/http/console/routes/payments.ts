import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import { can } from '../../../identity/operators/role.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import * as RefundPreview from '../../../journeys/refund-preview.ts';
import type * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import * as UnconfirmedRefund from '../../../journeys/unconfirmed-refund.ts';
import type { Order } from '../../../payment/order.ts';
import * as OrderSearch from '../../../payment/order-search.ts';
import type { PastDue } from '../../../payment/revenue-report.ts';
import * as Gone from '../../../payment/reversal.ts';
import type { PaidCard } from '../../../payment/saved-card.ts';
import type { Subscription } from '../../../payment/subscription.ts';
import type { Html } from '../../pages/frame.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import * as Csv from '../csv.ts';
import type { FormResult } from '../pages/account.ts';
import { money } from '../pages/figures.ts';
import * as LoginPage from '../pages/login-page.ts';
import { methodOf, statusText } from '../pages/orders.ts';
import * as Page from '../pages/payment.ts';
import * as ListPage from '../pages/payments.ts';
import * as RefundPage from '../pages/refund.ts';
import { planNames } from '../plan-names.ts';
import type { ConsoleResponse } from '../response.ts';
import type { Person } from '../sessions.ts';
import * as Form from './refund-form.ts';

const path = '/admin/console/payments';
const dayMs = 86_400_000;
const listedMax = 50;
const pageSize = 25;

/** The dependencies of the payments section. */
export type PaymentSectionContext = RefundRequests.RefundAnswerContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<SellerContext, 'console' | 'fees'> &
  Parameters<typeof RefundPreview.preview>[0];

/** The list of payments, the page of each payment, and refunds. */
export function addPaymentSection(console: Console, shop: PaymentSectionContext): void {
  const { processor, orders } = shop;

  console.addSection('Payments', path, async (c, { role }) => {
    const filter = OrderSearch.readFilter((name) => c.req.query(name));
    const { pastDue: unpaid, ...facts } = await listFacts(shop, filter, c.req.query('after') ?? null);
    const view = c.req.query('view') ?? null;
    const pastDue = await Promise.all(
      unpaid.map(async (one) => ({
        ...one,
        open: view === 'past-due' ? await BillingPortal.unpaidOf(shop, one.subscription) : null,
      })),
    );
    const shown = { view, pastDue, nowMs: shop.clock(), canExport: can(role, 'export') };
    const main = ListPage.payments({ ...facts, ...shown }, processor.pageOf);
    return { title: 'Payments', main, canCopy: true };
  });
  console.addPage(`${path}.csv`, (c) => {
    const filter = OrderSearch.readFilter((name) => c.req.query(name));
    return Csv.download<OrderSearch.FoundOrder>(
      'payments',
      csvHead,
      (after, max) => shop.console.orders.find(filter, after?.order.id ?? null, max),
      csvRow,
    );
  });

  console.addPage(`${path}/:id`, (c, person, flash) => paymentPage(shop, c, flash, person, {}, 200));

  console.addPage(`${path}/:id/refund`, async (c, person) => {
    const order = await orders.find(c.req.param('id') ?? '');
    if (order === null) return paymentPage(shop, c, null, person);
    const typed = c.req.query('amount_usd')?.trim() ?? '';
    const reference = c.req.query('reference')?.trim() ?? '';
    const reversals = await orders.reversalsOf(order.id);
    const returned = Gone.totalReversed(reversals, order.amount);
    const known = c.req.query('returned_usd');
    if (known !== undefined && Money.parse(known) !== returned)
      return {
        title: 'Already refunded',
        status: 409,
        main: RefundPage.changed(order, reversals, planNames(shop)),
      };
    if ((await UnconfirmedRefund.latest(shop, order)) !== null)
      return paymentPage(shop, c, nothingNew, person);
    const refuse = (fault: string) =>
      paymentPage(shop, c, Form.nothingRefunded, person, { draft: { typed, fault, reference } });
    const read = Gone.parse({ purchase: order.id, amount_usd: typed });
    if (read.kind === 'fault' || read.instruction.amount === null)
      return refuse('Enter an amount in US dollars and whole cents, such as 1.50.');
    const { amount } = read.instruction;
    const preview = await RefundPreview.preview(shop, order, amount);
    if (preview.kind === 'too_much')
      return refuse(`At most ${money(preview.left)} of this purchase can be refunded.`);
    const [buyer] = await buyersOf(shop, order.account);
    const question = {
      ...{ ...preview, order, planName: planNames(shop) },
      email: buyer?.email ?? null,
    };
    if (order.rail === 'x402' && !Form.isTransaction(reference)) {
      const draft = { typed, reference, referenceFault: Form.noTransaction };
      return paymentPage(shop, c, Form.badTransaction, person, { draft });
    }
    return { title: 'Refund', main: asked(question, reference) };
  });

  console.addAction(`${path}/:id`, async (c, form, person) => {
    const declining = form.get('act') === 'decline' ? Form.declineFault(form) : null;
    if (declining !== null) return paymentPage(shop, c, Form.nothingDeclined, person, { declining });
    const id = c.req.param('id') ?? '';
    const result = await Form.answerOrRefund(shop, id, form, person.who, planNames(shop));
    const isRefused = result.isBad && result !== Form.unanswered;
    return isRefused ? paymentPage(shop, c, result, person) : { to: c.req.path, flash: result };
  });
}

const csvHead = [
  ...['order', 'created', 'paid', 'status', 'method', 'plan', 'amount_usd', 'tax_usd', 'reversed_usd'],
  ...['account', 'email', 'payment', 'transaction', 'failure'],
];

/** A row of the export, with the words of the page. */
function csvRow(found: OrderSearch.FoundOrder): Csv.Cell[] {
  const { order, email, reversed } = found;
  return [
    ...[order.id, Csv.time(order.createdMs), order.grantedMs === null ? null : Csv.time(order.grantedMs)],
    ...[statusText(found), methodOf(order), order.plan],
    ...[Money.format(order.amount), Money.format(order.tax), Money.format(reversed)],
    ...[order.account, email, order.payment, order.transaction, order.failure],
  ];
}

async function listFacts(
  shop: PaymentSectionContext,
  filter: OrderSearch.OrderFilter,
  after: string | null,
): Promise<
  Omit<ListPage.PaymentListFacts, 'canExport' | 'view' | 'nowMs' | 'pastDue'> & { pastDue: PastDue[] }
> {
  const { revenueReport } = shop.console;
  const [requests, flagged, unfinished, returned, webhookEvents, pastDue, declined, all] = await Promise.all([
    shop.refundRequests.list('open', null, listedMax),
    shop.fraudSignals.open(listedMax),
    revenueReport.unfinished(listedMax),
    revenueReport.returned(listedMax),
    revenueReport.openWebhookEvents(listedMax),
    revenueReport.pastDue(listedMax),
    revenueReport.declined(shop.clock() - 30 * dayMs, listedMax),
    shop.console.orders.find(filter, after, pageSize + 1),
  ]);
  const shown = all.slice(0, pageSize);
  return {
    ...{ requests, flagged, unfinished, returned, webhookEvents, pastDue },
    declined: declined.length,
    all: shown,
    isFirst: after === null,
    next: all.length > pageSize ? (shown.at(-1)?.order.id ?? null) : null,
    filter,
    plans: [...shop.catalog.plans, ...shop.catalog.retired],
    planName: planNames(shop),
  };
}

const nothingNew: FormResult = { text: 'Nothing more is refunded before that is known.', isBad: true };

/** The question before a refund, or before one that was sent by hand is recorded. */
function asked(question: RefundPage.Question, reference: string): Html {
  return question.order.rail === 'x402'
    ? RefundPage.confirmByHand({ ...question, key: id('console'), reference })
    : RefundPage.confirm({ ...question, key: question.wanted === null ? id('console') : null });
}

async function paymentPage(
  shop: PaymentSectionContext,
  c: Call,
  result: FormResult,
  { role }: Person,
  refused: Partial<Pick<Page.PaymentFacts, 'draft' | 'declining'>> = {},
  badStatus = 422,
): Promise<ConsoleResponse> {
  const { orders, processor } = shop;
  const order = await orders.find(c.req.param('id') ?? '');
  if (order === null) {
    const text = 'There is no purchase with this id. Unpaid offers are deleted after three days.';
    const main = LoginPage.problem('Purchase not found', text, { path, name: 'All payments' });
    return { title: 'Purchase not found', status: 404, main };
  }
  const unconfirmed = await UnconfirmedRefund.latest(shop, order);
  const [
    buyers,
    request,
    reversals,
    lot,
    loss,
    fees,
    signals,
    charges,
    plan,
    card,
    [holdup = null],
    replacements,
  ] = await Promise.all([
    buyersOf(shop, order.account),
    shop.refundRequests.find(order.id),
    orders.reversalsOf(order.id),
    shop.console.revenueReport.lotOf(order.id),
    orders.lossOf(order.id),
    order.payment === null ? [] : shop.fees.of(order.payment),
    order.payment === null ? [] : shop.fraudSignals.of(order.payment),
    shop.cardAttempts.ofOrder(order.id),
    order.period === null ? null : shop.subscriptions.paidBy(order.id),
    cardOf(shop, order),
    order.state === 'granted' ? [] : shop.console.revenueReport.unfinished(1, order.id),
    orders.replacementsOf([order.id]),
  ]);
  const facts = {
    ...{ order, request, reversals, lot, fees, signals, charges, result, draft: null, declining: null },
    ...refused,
    email: buyers[0]?.email ?? null,
    planName: planNames(shop),
    ...{ loss, card, holdup, replacement: replacements.get(order.id) ?? null },
    planEndedMs: endOf(plan, order),
    ...{ nowMs: shop.clock(), unconfirmed },
    canRefund: can(role, 'refund'),
    canDecline: can(role, 'support'),
  };
  const left = Gone.refundable(reversals, order.amount);
  const preview =
    facts.canRefund && unconfirmed === null && left > 0
      ? await RefundPreview.preview(shop, order, Gone.suggestedRefund(left, request))
      : null;
  const page = order.payment === null ? null : processor.pageOf(order.payment);
  const main = Page.payment({ ...facts, left, page, preview: preview?.kind === 'possible' ? preview : null });
  return {
    title: `${money(order.amount)} for ${facts.planName(order.plan)}`,
    status: result?.isBad ? badStatus : 200,
    main,
    canCopy: true,
  };
}

/** When a plan ended, for the last purchase of a period of it; null for any other. */
function endOf(plan: Subscription | null, { periodStartMs, periodEndMs }: Order): number | null {
  const endedMs = plan?.endedMs ?? null;
  if (plan === null || endedMs === null || periodStartMs === null || periodEndMs === null) return null;
  return endedMs >= periodStartMs && plan.endMs <= periodEndMs ? endedMs : null;
}

/** The card that paid an order: the processor is asked on each view, and the shop keeps only cards that it charges again. */
async function cardOf(
  { processor }: Pick<PaymentSectionContext, 'processor'>,
  { rail, payment, savedCard }: Order,
): Promise<PaidCard | null> {
  if (rail === 'x402' || payment === null) return null;
  return savedCard ?? processor.cardOfPayment(payment).catch(() => null);
}

/** The account of an order; empty before it is known. */
async function buyersOf({ console }: Pick<SellerContext, 'console'>, account: string | null) {
  return account === null ? [] : console.accounts.find({ kind: 'id', id: account }, 1);
}
