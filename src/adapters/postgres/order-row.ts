import * as Money from '@sluice/kernel/money';
import type { Order } from '../../payment/order.ts';
import type { purchase } from './schema/orders.ts';
import type { Row } from './schema/row.ts';

export type OrderRow = Row<typeof purchase>;

/** Reads an order from its row. */
export function order(row: OrderRow): Order {
  return {
    id: row.id,
    state: row.state,
    account: row.account_id,
    plan: row.plan_id,
    amount: Money.ofMicro(row.amount),
    tax: Money.ofMicro(row.tax),
    taxQuote: row.tax_quote,
    isInvoiced: row.invoiced,
    period: row.units !== null && row.terms !== null ? { units: row.units, terms: row.terms } : null,
    rail: row.rail,
    periodStartMs: row.period_start?.getTime() ?? null,
    periodEndMs: row.period_end?.getTime() ?? null,
    returnUrl: row.return_url,
    savedCard: row.saved_card,
    challengeId: row.challenge_id,
    checkoutSession: row.checkout_session,
    pagesClosed: row.pages_closed,
    pageBrowser: row.page_browser,
    payment: row.payment,
    transaction: row.transaction,
    signedPayment: row.signed_payment,
    isQueued: row.claimed_by === 'queued',
    failure: row.failure,
    createdMs: row.created_at.getTime(),
    expiresMs: row.expires_at.getTime(),
    claimedMs: row.claimed_at?.getTime() ?? null,
    doubted: row.maybe_charged,
    grantedMs: row.granted_at?.getTime() ?? null,
  };
}
