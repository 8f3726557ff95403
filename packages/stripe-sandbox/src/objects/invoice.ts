import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { isBelowMinimum } from '../protocol/params.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Customer from './customer.ts';
import * as Event from './event.ts';
import * as InvoiceItem from './invoice-item.ts';
import * as InvoiceLine from './invoice-line.ts';
import * as InvoiceTax from './invoice-tax.ts';
import type { Period } from './period.ts';
import type { Inner, Stored, Wire } from './stored.ts';
import type { Subscription } from './subscription.ts';

/** An invoice of a customer. */
export type Invoice = Omit<
  Wire<Stored<Stripe.Invoice>>,
  'customer' | 'lines' | 'parent' | 'status' | 'test_clock'
> & {
  customer: string;
  lines: Inner<InvoiceLine.InvoiceLine>;
  /** Null for the invoice of a single payment. */
  parent: {
    quote_details: null;
    subscription_details: SubscriptionDetails;
    type: 'subscription_details';
  } | null;
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  test_clock: string | null;
  /** The payment that is to pay it, from its first try on. */
  _intent: string | null;
  /** The number of automatic retries. */
  _retries: number;
  _leaves_balance: boolean;
};

type SubscriptionDetails = { metadata: Record<string, string>; subscription: string };

export const invoices = Store.table<Invoice>('invoices');

/** The content of an invoice that has not been created yet. */
export type Bill = {
  customer: Customer.Customer;
  subscription: Subscription;
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  lines: InvoiceLine.InvoiceLineDraft[];
  /** Credits and charges that waited for it. */
  waiting: InvoiceItem.InvoiceItem[];
  period: Period;
  /** A hosted page asks for the whole price, so the first invoice does not touch the customer's balance. */
  leavesBalance?: true;
};

type Sums = Pick<Invoice, 'total' | 'amount_due' | 'starting_balance'> & { ending_balance: number };

/** Tax on the lines, where the subscription has it calculated and the customer's place is known. */
function taxOf({ subscription, customer }: Bill, net: number): InvoiceTax.Taxes {
  const place = InvoiceTax.placeOf(customer);
  if (!subscription.automatic_tax.enabled || place === null) return null;
  return InvoiceTax.on(net, place, customer._tax_ids);
}

/**
 * Returns the amount due for `total` and a customer with this balance, in minor units. A credit (negative balance) is used first and a debt
 * is added. An amount below zero or below the minimum charge is moved to the balance.
 */
function sum(total: number, balance: number, currency: string): Sums {
  const due = total + balance;
  const isCharged = total > 0 && due > 0 && !isBelowMinimum(due, currency);
  return {
    total,
    amount_due: isCharged ? due : 0,
    starting_balance: balance,
    ending_balance: isCharged ? 0 : due,
  };
}

/** Returns the amount due if the bill were finalized now. */
export function amountDue(bill: Bill): number {
  const { customer, subscription, lines, waiting } = bill;
  const net = [...lines, ...waiting].reduce((whole, { amount }) => whole + amount, 0);
  const total = net + (taxOf(bill, net)?.total ?? 0);
  return sum(total, customer.balance, subscription.currency).amount_due;
}

/** Writes the bill as a draft that closes by itself at `closesAt`, and takes up what waited for it. */
export function draft(ctx: RequestContext, bill: Bill, closesAt: number | null): Invoice {
  const { customer, subscription, reason, period } = bill;
  const invoiceId = id('in');
  const drafts = [...bill.lines, ...bill.waiting.map(InvoiceLine.ofInvoiceItem)];
  const lines = drafts.map((line) => InvoiceLine.onto(invoiceId, line));
  for (const item of bill.waiting) {
    Store.put(ctx.store, InvoiceItem.invoiceItems, { ...item, invoice: invoiceId });
  }
  const net = lines.reduce((whole, { amount }) => whole + amount, 0);
  const taxes = taxOf(bill, net);
  const sums = sum(
    net + (taxes?.total ?? 0),
    bill.leavesBalance ? 0 : customer.balance,
    subscription.currency,
  );
  const invoice = Store.put(ctx.store, invoices, {
    ...constants,
    ...amounts(sums, net),
    ...InvoiceTax.shown(taxes, net),
    id: invoiceId,
    auto_advance: closesAt !== null,
    automatically_finalizes_at: closesAt,
    billing_reason: reason,
    created: ctx.now,
    currency: subscription.currency,
    customer: customer.id,
    ...payerOf(customer),
    default_payment_method: null,
    effective_at: null,
    ending_balance: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${invoiceId}/lines` },
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    period_end: period.end,
    period_start: period.start,
    test_clock: subscription.test_clock,
    _leaves_balance: bill.leavesBalance ?? false,
  });
  Event.record(ctx, 'invoice.created', invoice);
  return invoice;
}

/** Closes a draft: from now on it says what is due, whatever becomes of the customer's balance. */
export function finalize(ctx: RequestContext, invoice: Invoice, metadata: Record<string, string>): Invoice {
  const customer = Customer.getCustomer(ctx, invoice.customer);
  const sums = sum(invoice.total, invoice._leaves_balance ? 0 : customer.balance, invoice.currency);
  const sequence = customer.next_invoice_sequence ?? 1;
  Store.put(ctx.store, Customer.customers, {
    ...customer,
    balance: customer.balance + sums.ending_balance - sums.starting_balance,
    next_invoice_sequence: sequence + 1,
  });
  const closed = update(ctx, invoice.id, {
    ...amounts(sums, invoice.subtotal),
    automatically_finalizes_at: null,
    effective_at: ctx.now,
    ending_balance: sums.ending_balance,
    hosted_invoice_url: `${ctx.publicUrl}/c/invoice/${invoice.id}`,
    number: `${customer.id.slice(-8).toUpperCase()}-${String(sequence).padStart(4, '0')}`,
    parent: invoice.parent && {
      ...invoice.parent,
      subscription_details: { ...invoice.parent.subscription_details, metadata },
    },
    status: 'open',
    status_transitions: { ...invoice.status_transitions, finalized_at: ctx.now },
  });
  Event.record(ctx, 'invoice.finalized', closed);
  return closed;
}

/** Ends an open invoice as paid. */
export function markPaid(ctx: RequestContext, invoice: Invoice): Invoice {
  const paid = update(ctx, invoice.id, {
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: invoice.attempt_count,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: ctx.now },
  });
  Event.record(ctx, 'invoice.paid', paid);
  Event.record(ctx, 'invoice.payment_succeeded', paid);
  return paid;
}

/** Voids an open invoice and returns the credit that it used to the customer's balance. */
export function markVoid(ctx: RequestContext, invoice: Invoice): Invoice {
  const customer = Customer.getCustomer(ctx, invoice.customer);
  const used = (invoice.ending_balance ?? invoice.starting_balance) - invoice.starting_balance;
  Store.put(ctx.store, Customer.customers, { ...customer, balance: customer.balance - used });
  const voided = update(ctx, invoice.id, {
    auto_advance: false,
    next_payment_attempt: null,
    status: 'void',
    status_transitions: { ...invoice.status_transitions, voided_at: ctx.now },
  });
  Event.record(ctx, 'invoice.voided', voided);
  return voided;
}

/** Stops Stripe from closing a draft, or from charging an open invoice, by itself. */
export function stopCollection(ctx: RequestContext, invoiceId: string): Invoice {
  return update(ctx, invoiceId, {
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
  });
}

/** Puts `change` into the invoice as it is stored. */
export function update(ctx: RequestContext, invoiceId: string, change: Partial<Invoice>): Invoice {
  return Store.put(ctx.store, invoices, { ...getInvoice(ctx, invoiceId), ...change });
}

export function getInvoice({ store }: RequestContext, invoiceId: string): Invoice {
  const invoice = Store.get(store, invoices, invoiceId);
  if (invoice === undefined) throw new Error(`invoice ${invoiceId} is gone`);
  return invoice;
}

/** The subscription that an invoice is for. Throws for the invoice of a single payment, which is paid when it is made. */
export function subscriptionOf({ id: invoiceId, parent }: Invoice): string {
  if (parent === null) throw new Error(`invoice ${invoiceId} is for no subscription`);
  return parent.subscription_details.subscription;
}

/** The members of an invoice that describe its customer. */
export function payerOf(customer: Customer.Customer) {
  return {
    customer_address: customer.address ?? null,
    customer_email: customer.email ?? null,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_tax_ids: customer._tax_ids,
  };
}

export function amounts({ total, amount_due, starting_balance }: Omit<Sums, 'ending_balance'>, net: number) {
  return {
    amount_due,
    amount_remaining: amount_due,
    starting_balance,
    subtotal: net,
    subtotal_excluding_tax: net,
    total,
    total_excluding_tax: net,
  };
}

/** Members that have the same value in every new invoice of the sandbox. */
export const constants = {
  object: 'invoice',
  account_country: 'US',
  account_name: 'Sandbox',
  account_tax_ids: null,
  amount_overpaid: 0,
  amount_paid: 0,
  amount_shipping: 0,
  application: null,
  attempt_count: 0,
  attempted: false,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
  collection_method: 'charge_automatically',
  custom_fields: null,
  customer_account: null,
  customer_shipping: null,
  customer_tax_exempt: 'none',
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  due_date: null,
  footer: null,
  from_invoice: null,
  hosted_invoice_url: null,
  invoice_pdf: null,
  issuer: { type: 'self' },
  last_finalization_error: null,
  latest_revision: null,
  livemode: false,
  metadata: {},
  next_payment_attempt: null,
  number: null,
  on_behalf_of: null,
  payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  statement_descriptor: null,
  status: 'draft',
  status_transitions: {
    finalized_at: null,
    marked_uncollectible_at: null,
    paid_at: null,
    voided_at: null,
  },
  total_discount_amounts: [],
  total_pretax_credit_amounts: [],
  total_taxes: [],
  webhooks_delivered_at: null,
  _intent: null,
  _retries: 0,
  _leaves_balance: false,
} satisfies Partial<Invoice>;
