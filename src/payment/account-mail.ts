import * as Money from '@sluice/kernel/money';
import type { Mail } from '../identity/mail.ts';
import type { Texts } from '../text/texts.ts';
import { type FailedPayment, failedFacts, failedSubject } from './failed-payment.ts';
import { type Order, totalPaid } from './order.ts';
import type { Reversal } from './reversal.ts';
import type { Subscription } from './subscription.ts';

/** An event that the person of an account is mailed about. */
export type AccountEvent =
  /** A payment arrived: a purchase, or the renewal of a plan. */
  | { kind: 'paid'; order: Order }
  /** `left`: the amount of the purchase that is still paid, with its tax. */
  | { kind: 'refunded'; order: Order; reversal: Pick<Reversal, 'amount' | 'tax'>; left: Money.Money }
  /** A renewal was not paid. `usableUntilMs`: the end of the days of grace. */
  | { kind: 'unpaid'; subscription: Subscription; usableUntilMs: number }
  /** Little is left of the credit that the person bought last. */
  | { kind: 'low'; plan: string; balance: Money.Money };

/** A mail that was decided on and is not queued yet. `to`: the address that the account has proved. `event` is null when it is out of date. */
export type DueAccountMail = { key: string; to: string; event: AccountEvent | null };

/** The mails to accounts. The statement that records an event decides on its mail (`shop.add_account_mail`). Every method is safe to repeat. */
export interface AccountMails {
  /** Lists mails that are not queued yet, in any order. A mail is given up after three days. */
  due(): Promise<DueAccountMail[]>;
  markQueued(key: string): Promise<void>;
}

/** `planName`: the names of plans by id. */
type ShopFacts = { name: string; publicUrl: string; texts: Texts; planName: (id: string) => string };

/** Writes the mail about an event. `receipt`: the URL of the receipt of the purchase. `failed`: the payment of an unpaid renewal. */
export function accountMail(
  shop: ShopFacts,
  to: string,
  event: AccountEvent,
  receipt: string | null,
  failed: FailedPayment = { amount: null, card: null, nextAttemptMs: null },
): Mail {
  const { texts, publicUrl } = shop;
  const facts = { shop: shop.name.replace(/\s+/g, ' ').trim(), url: publicUrl };
  const settings = `${publicUrl}/shop/account`;
  const footer = texts.text('mail.account.footer', { ...facts, page: settings });
  switch (event.kind) {
    case 'paid':
      return { to, ...paidMail(shop, facts, event.order, receipt ?? settings, footer) };
    case 'refunded':
      return { to, ...refundedMail(shop, facts, event, receipt ?? settings, footer) };
    case 'unpaid': {
      const plan = shop.planName(event.subscription.plan);
      const until = texts.day(event.usableUntilMs);
      const { total, rows, next } = failedFacts(texts, failed);
      return {
        to,
        subject: failedSubject(texts, { shop: facts.shop, plan, total }),
        text: texts.text('mail.unpaid.text', {
          ...facts,
          ...{ plan, until, rows, next },
          page: `${settings}/billing#plans`,
          footer,
        }),
      };
    }
    case 'low': {
      const balance = texts.usd(Money.format(event.balance));
      const plan = shop.planName(event.plan);
      return {
        to,
        subject: texts.text('mail.low.subject', { ...facts, balance }),
        text: texts.text('mail.low.text', { ...facts, balance, plan, page: `${settings}/billing`, footer }),
      };
    }
  }
}

type Written = Pick<Mail, 'subject' | 'text'>;
type Facts = { shop: string; url: string };

function paidMail(
  { texts, planName }: ShopFacts,
  facts: Facts,
  order: Order,
  receipt: string,
  footer: string,
): Written {
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  const values = {
    ...facts,
    amount: usd(totalPaid(order)),
    change: changeOf(texts, order),
    tax: order.tax > 0 ? texts.text('mail.paid.tax', { tax: usd(order.tax) }) : '',
    plan: planName(order.plan),
    purchase: order.id,
    until:
      order.periodEndMs === null ? '' : texts.text('mail.paid.until', { day: texts.day(order.periodEndMs) }),
    receipt,
    footer,
  };
  // The invoice of a change of plan is a purchase: it replaces the period before.
  const isRenewal = order.rail === 'invoice' && !order.period?.terms.replaces;
  const key = isRenewal ? 'renewed' : 'paid';
  return { subject: texts.text(`mail.${key}.subject`, values), text: texts.text(`mail.${key}.text`, values) };
}

/** The reason for the amount of a change to a dearer plan: its price less the unused part of the plan before. */
function changeOf(texts: Texts, { amount, period }: Order): string {
  const replaces = period?.terms.replaces;
  if (period == null || !replaces) return '';
  const credit = Money.ofMicro(period.terms.price - amount);
  if (credit <= 0) return '';
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  return texts.text('mail.paid.change', { price: usd(period.terms.price), credit: usd(credit) });
}

function refundedMail(
  { texts, planName }: ShopFacts,
  facts: Facts,
  { order, reversal, left }: Extract<AccountEvent, { kind: 'refunded' }>,
  receipt: string,
  footer: string,
): Written {
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  const now = reversal.amount + (reversal.tax ?? 0);
  const amount = usd(Money.ofMicro(now));
  const before = Money.ofMicro(Math.max(0, totalPaid(order) - left - now));
  return {
    subject: texts.text('mail.refunded.subject', { ...facts, amount }),
    text: texts.text('mail.refunded.text', {
      ...facts,
      amount,
      before: before > 0 ? texts.text('mail.refunded.before', { before: usd(before) }) : '',
      paid: usd(totalPaid(order)),
      plan: planName(order.plan),
      purchase: order.id,
      extent:
        left > 0 ? texts.text('mail.refunded.part', { left: usd(left) }) : texts.text('mail.refunded.full'),
      way: texts.text(order.rail === 'x402' ? 'mail.refunded.to_wallet' : 'mail.refunded.to_card'),
      receipt,
      footer,
    }),
  };
}
