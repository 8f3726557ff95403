import Stripe from 'stripe';
import type { Processor, WebhookEvent } from '../../payment/processor.ts';
import * as Billing from './billing.ts';
import * as CardCharge from './card-charge.ts';
import * as CardPage from './card-page.ts';
import { Charges } from './charges.ts';
import * as Checkout from './checkout.ts';
import * as Dashboard from './dashboard.ts';
import * as Fees from './fees.ts';
import * as PaymentIntent from './payment-intent.ts';
import { openPlanPrices } from './plan-price.ts';
import * as Portal from './portal.ts';
import { openProbe } from './probe.ts';
import * as Refunds from './refunds.ts';
import { type Report, rejections } from './rejections.ts';
import * as SharedToken from './shared-token.ts';
import type { ShopMark } from './shop-mark.ts';
import * as Tax from './tax.ts';
import * as StripeEvent from './webhook-event.ts';

/** With its repetitions a charge ends within a minute: shop.is_being_charged of migrations/functions/orders.sql counts on that. */
const requestTimeoutMs = 15_000;
const networkRetriesMax = 2;
/** Maximum age of a signed webhook event. */
const eventAgeMaxSeconds = 300;

const { errors } = Stripe;

export type StripeSettings = {
  secretKey: string;
  /** Each of them may have signed a webhook event. */
  webhookSecrets: readonly string[];
  /** `https://api.stripe.com`, or the sandbox. */
  apiBase: string;
  /** The API version for charging shared payment tokens. */
  sharedTokenVersion?: string;
  /** The mark of this shop's objects in an account that has other uses. */
  mark: ShopMark;
  report?: Report;
  timeoutMs?: number;
};

/** Opens the card processor with Stripe's own client; the sandbox implements the same HTTP interface. */
export function openStripe(settings: StripeSettings): Processor {
  const stripe = connect(settings);
  const prices = openPlanPrices(stripe);
  const portal = Portal.openPortals(stripe);
  const quoteTax = Tax.quotes(stripe);
  const { mark, sharedTokenVersion = SharedToken.versionDefault } = settings;
  const reject = rejections(settings.report);
  const charges = new Charges(stripe, { mark, sharedTokenVersion, rejections: reject });

  return {
    charge: (order, challengeId, token) => charges.charge(order, challengeId, token),
    cardOfToken: (token) => CardCharge.ofToken(stripe, token, sharedTokenVersion),
    readCharge: (id) => CardCharge.read(stripe, id).catch(reject.unread(id)),
    chargeSaved: (order, challengeId, card, isTaxed) =>
      charges.chargeSaved(order, challengeId, card, isTaxed),
    chargesOf: (order) => charges.chargesOf(order).catch(reject.unavailable),
    payments: (sinceMs) => charges.payments(sinceMs),
    refusedAsTooSmall: () => charges.refusedAsTooSmall,
    readPayment: (id) =>
      stripe.paymentIntents
        .retrieve(id, { expand: ['latest_charge'] })
        .then((intent) => PaymentIntent.read(intent, mark), reject.unread(id)),
    probe: openProbe(stripe, settings),
    pageOf: (payment) => Dashboard.pageOf(settings, payment),

    reversalsOf: (id) => Refunds.reversalsOf(stripe, id).catch(reject.unavailable),
    refund: (payment, money, idempotency, seller) =>
      Refunds.refund(stripe, payment, money, { idempotency, seller }, settings.report),
    feesOf: (id) => Fees.read(stripe, id).catch(reject.unread(id)),

    quoteTax: (amount, place) => quoteTax(amount, place).catch(reject.page),
    taxOnPage: (payment) => Tax.onPage(stripe, payment).catch(reject.unread(payment)),
    cardOfPayment: (payment) => PaymentIntent.cardOf(stripe, payment).catch(reject.unread(payment)),
    invoicePage: (payment) => Tax.invoicePage(stripe, payment).catch(reject.unread(payment)),

    readInvoice: (id) => Billing.readInvoice(stripe, prices, id, mark).catch(reject.unread(id)),
    invoices: (sinceMs, subscription) => Billing.invoices(stripe, prices, mark, sinceMs, subscription),
    readSubscription: (id) => Billing.readSubscription(stripe, id).catch(reject.unread(id)),
    cancelAtPeriodEnd: (id, cancels) =>
      Billing.cancelAtPeriodEnd(stripe, id, cancels).catch(reject.unread(id)),
    cancelNow: (id) => Billing.cancelNow(stripe, id).catch(reject.unread(id)),
    voidUnpaid: (id) => Billing.voidUnpaid(stripe, id).catch(reject.unavailable),
    changePlan: (id, change, plan) =>
      Billing.changePlan(stripe, prices, id, change, plan).catch(reject.unread(id)),

    openCheckout: (order, pages) =>
      Checkout.openCheckout(stripe, prices, order, mark, pages).catch((error: unknown) => {
        charges.learnMinimum(error, order.amount);
        return reject.page(error);
      }),
    readCheckout: (id) => Checkout.read(stripe, prices, id, mark).catch(reject.unread(id)),
    closeCheckout: (id) => Checkout.close(stripe, prices, id, mark).catch(reject.unavailable),
    openCardPage: (page) => CardPage.openCardPage(stripe, page).catch(reject.unavailable),
    readCardPage: (session) => CardPage.read(stripe, session).catch(reject.unavailable),
    renewalOf: (id) => CardPage.renewalOf(stripe, id).catch(reject.unread(id)),
    payerOf: (id) => Portal.payerOf(stripe, id).catch(reject.unread(id)),
    openPortal: (customer, returnUrl) => portal(customer, returnUrl).catch(reject.unavailable),
    eraseCustomer: (id) => CardPage.eraseCustomer(stripe, id).catch(reject.unavailable),
    useCard: (id, card) => CardPage.use(stripe, id, card).catch(reject.unavailable),

    parseWebhookEvent: (body, signature) => readEvent(stripe, settings.webhookSecrets, body, signature),
  };
}

function connect({ secretKey, apiBase, timeoutMs }: StripeSettings): Stripe {
  const base = new URL(apiBase);
  const protocol = base.protocol === 'http:' ? 'http' : 'https';
  return new Stripe(secretKey, {
    host: base.hostname,
    port: base.port === '' ? (protocol === 'http' ? 80 : 443) : Number(base.port),
    protocol,
    timeout: timeoutMs ?? requestTimeoutMs,
    maxNetworkRetries: networkRetriesMax,
    telemetry: false,
  });
}

/** Returns the event in a signed body, or null when it is not JSON or was signed with none of the secrets. */
function readEvent(
  stripe: Stripe,
  secrets: readonly string[],
  body: string,
  signature: string,
): WebhookEvent | null {
  for (const secret of secrets) {
    try {
      return StripeEvent.read(stripe.webhooks.constructEvent(body, signature, secret, eventAgeMaxSeconds));
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      if (!(error instanceof errors.StripeSignatureVerificationError)) throw error;
    }
  }
  return null;
}
