import * as Money from '@sluice/kernel/money';
import type { Operation } from '../catalog/operation.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import * as SignedReceipt from '../identity/signed-receipt.ts';
import type { Measured } from '../ledger/hold.ts';
import type { BillingDetails, BillingRecord } from '../payment/billing-details.ts';
import * as Orders from '../payment/order.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import * as ReceiptLines from '../payment/receipt-lines.ts';
import * as ReceiptLink from '../payment/receipt-link.ts';
import * as Reversal from '../payment/reversal.ts';
import type { SavedCard } from '../payment/saved-card.ts';

const pageMax = 50;

/** The dependencies of signing the receipts of purchases. */
export type ReceiptContext = Pick<IdentityContext, 'clock' | 'publicUrl' | 'tokenVerifier'> &
  Pick<CheckoutContext, 'challengeSecrets'> &
  Pick<PaymentContext, 'orders'>;

export type PurchaseEntry = SignedReceipt.PurchaseReceipt & {
  /** The receipt as a compact JWS, and a page that shows it to anyone who has the URL. */
  receipt: string;
  url: string;
  /** The URL at which the account reads the processor's invoice, with company name and tax id; null when there is none. */
  invoice_url: string | null;
};

/** Lists the purchases of an account, the newest first, each with its signed receipt; `cursor` continues after a page. */
export async function list(
  shop: ReceiptContext,
  account: string,
  cursor: string | null,
): Promise<{ receipts: PurchaseEntry[]; cursor: string | null }> {
  const orders = await shop.orders.paidFor(account, cursor, pageMax + 1);
  const receipts = await Promise.all(orders.slice(0, pageMax).map((order) => entry(shop, order)));
  return { receipts, cursor: orders.length > pageMax ? (receipts.at(-1)?.purchase ?? null) : null };
}

/** Returns the receipt of a purchase; null while it is not paid, or not by `account`. */
export async function ofPurchase(
  shop: ReceiptContext,
  account: string,
  purchase: string,
): Promise<PurchaseEntry | null> {
  const order = await shop.orders.find(purchase);
  return order?.state === 'granted' && order.account === account ? entry(shop, order) : null;
}

/** Returns the signed receipt that the last part of a short address opens; null for a text that this shop did not issue. */
export async function ofLink(shop: ReceiptContext, link: string): Promise<string | null> {
  const purchase = ReceiptLink.verify(link, shop.challengeSecrets);
  const order = purchase === null ? null : await shop.orders.find(purchase);
  return order?.state === 'granted' ? (await entry(shop, order)).receipt : null;
}

/** Creates the receipt of a granted order, signed now. */
async function entry(shop: ReceiptContext, order: Orders.Order): Promise<PurchaseEntry> {
  const { id, account, grantedMs } = order;
  const payment = Orders.reference(order);
  if (account === null || payment === null || grantedMs === null)
    throw new Error(`order ${id} has not been paid`);
  const reversals = await shop.orders.reversalsOf(id);
  const facts: SignedReceipt.PurchaseReceipt = {
    kind: 'purchase',
    purchase: id,
    plan: order.plan,
    amount_usd: Money.format(order.amount),
    tax_usd: Money.format(order.tax),
    total_usd: Money.format(Orders.totalPaid(order)),
    reversed_usd: Money.format(Reversal.totalReversed(reversals, order.amount)),
    reversed_tax_usd: Money.format(Reversal.totalTaxReversed(reversals, order.tax)),
    rail: order.rail,
    payment,
    paid_at: new Date(grantedMs).toISOString(),
  };
  const receipt = await SignedReceipt.sign(shop.tokenVerifier.ring, { ...facts, account }, shop.clock());
  return {
    ...facts,
    receipt,
    url: `${shop.publicUrl}/receipts/${ReceiptLink.issue(id, shop.challengeSecrets) ?? receipt}`,
    invoice_url: hasInvoice(order) ? `${shop.publicUrl}/account/receipts/${id}/invoice` : null,
  };
}

/** The parts of a purchase that its receipt shows beside the signed fields. */
export type PurchaseParts = {
  /** Without tax; their sum is the amount. */
  lines: readonly ReceiptLines.ReceiptLine[];
  /** The plan of each order that a line names. */
  plans: ReadonlyMap<string, string>;
  /** The paid period; null for credit. */
  period: { startMs: number; endMs: number } | null;
  /** True when the processor charged it as the next period of a plan, and not for a change of plan. */
  isRenewal: boolean;
  /** The refunds and disputes that have effect, with tax, the oldest first. */
  reversals: readonly { kind: Reversal.Reversal['kind']; amount: Money.Money; atMs: number }[];
  /** Their total, at most what was paid. */
  reversed: Money.Money;
};

/** Returns the parts of the purchase of a receipt; null for a call, and for a purchase that is not stored. */
export async function partsOf(
  { orders }: Pick<PaymentContext, 'orders'>,
  signed: SignedReceipt.VerifiedReceipt,
): Promise<PurchaseParts | null> {
  const order = signed.kind === 'purchase' ? await orders.find(signed.purchase) : null;
  if (order?.state !== 'granted') return null;
  const lines = ReceiptLines.linesOf(order);
  const replaced = lines.flatMap((line) => (line.kind === 'unused' ? [line.order] : []));
  const found = await Promise.all(replaced.map((id) => orders.find(id)));
  const reversals = await orders.reversalsOf(order.id);
  const { periodStartMs: startMs, periodEndMs: endMs } = order;
  return {
    lines,
    plans: new Map(found.flatMap((one) => (one === null ? [] : [[one.id, one.plan]]))),
    period: startMs === null || endMs === null ? null : { startMs, endMs },
    isRenewal: order.rail === 'invoice' && order.period?.terms.replaces === undefined,
    reversals: reversals
      .filter(({ isEffective }) => isEffective)
      .map(({ kind, amount, tax = Money.zero, createdMs }) => ({
        kind,
        amount: Money.ofMicro(amount + tax),
        atMs: createdMs,
      }))
      .sort((one, other) => one.atMs - other.atMs),
    reversed: Money.ofMicro(
      Reversal.totalReversed(reversals, order.amount) + Reversal.totalTaxReversed(reversals, order.tax),
    ),
  };
}

/** Returns the buyer's address for a reader of a receipt: only the buyer sees it. Null for anyone else. */
export async function buyerEmail(
  { accounts }: Pick<IdentityContext, 'accounts'>,
  { account }: SignedReceipt.VerifiedReceipt,
  reader: string | null,
): Promise<string | null> {
  return reader === account ? ((await accounts.find(account))?.email ?? null) : null;
}

/** Returns the billing details of a receipt's buyer for a reader: only the buyer sees them. Null for anyone else. */
export async function buyerDetails(
  { billingDetails }: { readonly billingDetails: BillingRecord },
  { account }: SignedReceipt.VerifiedReceipt,
  reader: string | null,
): Promise<BillingDetails | null> {
  return reader === account ? billingDetails.of(account) : null;
}

/**
 * Returns the card that paid the purchase of a receipt, for a reader: only the buyer sees it. Null for anyone else, for other payments, and while the processor
 * does not say.
 */
export async function buyerCard(
  { orders, processor }: Pick<PaymentContext, 'orders' | 'processor'>,
  signed: SignedReceipt.VerifiedReceipt,
  reader: string | null,
): Promise<Pick<SavedCard, 'brand' | 'last4'> | null> {
  if (signed.kind !== 'purchase' || reader !== signed.account) return null;
  const order = await orders.find(signed.purchase);
  if (order === null || order.payment === null || order.rail === 'x402') return null;
  return order.savedCard ?? processor.cardOfPayment(order.payment).catch(() => null);
}

/** Returns true when the processor made an invoice: for each period of a plan that renews, and for a taxed payment on a hosted page. */
function hasInvoice({ isInvoiced, rail, period, checkoutSession, challengeId }: Orders.Order): boolean {
  const renews =
    period !== null && !period.terms.replaces && checkoutSession !== null && challengeId === null;
  return isInvoiced || rail === 'invoice' || renews;
}

/** Returns the page of the processor's invoice for a purchase of the account; null when there is none. */
export async function invoicePage(
  { orders, processor }: Pick<PaymentContext, 'orders' | 'processor'>,
  account: string,
  purchase: string,
): Promise<string | null> {
  const order = await orders.find(purchase);
  if (order?.account !== account || order.payment === null || order.rail === 'x402') return null;
  return processor.invoicePage(order.payment);
}

/** Signs the receipt of one call, when the caller requested one (`Storefront-Receipt: jws`). */
export function ofCall(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'>,
  { account, operation }: { account: string; operation: Operation },
  {
    callId,
    units,
    measured,
    cost,
  }: {
    callId: string;
    units: number;
    measured?: Measured | undefined;
    cost: { cost: Money.Money; balance: Money.Money };
  },
): Promise<string> {
  const receipt = {
    kind: 'call' as const,
    account,
    call: `call_${callId}`,
    operation: operation.id,
    service: operation.service.slug,
    ...(operation.units.kind !== 'meters' && measured?.quantities === undefined && { units }),
    ...(measured?.quantities !== undefined && { quantities: measured.quantities }),
    ...(measured?.priceKey !== undefined && { model: measured.priceKey }),
    cost_usd: Money.formatExact(cost.cost),
    balance_usd: Money.formatExact(cost.balance),
  };
  return SignedReceipt.sign(shop.tokenVerifier.ring, receipt, shop.clock());
}
