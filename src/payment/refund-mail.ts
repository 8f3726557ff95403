import * as Money from '@sluice/kernel/money';
import type { Mail } from '../identity/mail.ts';
import type { Texts } from '../text/texts.ts';
import type { RefundRequest } from './refund-request.ts';

/** The mail that notifies the seller of a refund request and explains how to answer it. The buyer's own words are quoted as such. `plan`: its name. */
export function refundMail(
  to: string,
  { name, publicUrl, texts }: { name: string; publicUrl: string; texts: Texts },
  plan: string,
  request: RefundRequest,
): Mail {
  const { purchase, account, paid, paidTax, amount, tax, unspent, reason } = request;
  const shop = name.replace(/\s+/g, ' ').trim();
  const said = reason.split('\n').map((line) => `> ${line}`);
  return {
    to,
    subject: texts.text('mail.refund_request.subject', {
      shop,
      amount: texts.usd(Money.format(Money.ofMicro(amount + tax))),
    }),
    text: texts.text('mail.refund_request.text', {
      shop,
      url: publicUrl,
      purchase,
      account,
      plan,
      paid: withTax(texts, paid, paidTax),
      requested: withTax(texts, amount, tax),
      unspent: texts.usd(Money.format(unspent)),
      reason: said.join('\n'),
      page: `${publicUrl}/admin/console/payments/${encodeURIComponent(purchase)}`,
    }),
  };
}

/** Formats a net amount and the tax on top of it. */
function withTax(texts: Texts, net: Money.Money, tax: Money.Money): string {
  const amount = texts.usd(Money.format(net));
  if (tax <= 0) return amount;
  return texts.text('mail.refund_request.amount_and_tax', { amount, tax: texts.usd(Money.format(tax)) });
}
