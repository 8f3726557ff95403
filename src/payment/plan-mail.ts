import * as Money from '@sluice/kernel/money';
import type { Mail } from '../identity/mail.ts';
import type { Texts } from '../text/texts.ts';
import { type FailedPayment, failedFacts, failedSubject } from './failed-payment.ts';
import type { Subscription } from './subscription.ts';

/** A plan that renews, for the person who pays for it. `price`: of the next period, without tax; null when it is not known. `next`: the name of the plan that follows it. */
export type PaidPlan = {
  one: Pick<Subscription, 'status' | 'endMs'>;
  name: string;
  next: string | null;
  price: Money.Money | null;
  page: string;
};
type ShopFacts = { name: string; publicUrl: string; texts: Texts };

/** The mail about an unpaid renewal, to the cardholder. `plan`: its name. `page`: where the plan can be canceled. `usableUntilMs`: the end of the days of grace. */
export function renewalFailed(
  { name, publicUrl, texts }: ShopFacts,
  { payUrl }: Pick<Subscription, 'payUrl'>,
  plan: string,
  page: string,
  to: string,
  failed: FailedPayment,
  usableUntilMs: number,
): Mail {
  const shop = oneLine(name);
  const { total, rows, next } = failedFacts(texts, failed);
  const pay =
    payUrl === null
      ? texts.text('mail.past_due.change_card', { link: `${publicUrl}/shop/account/billing#plans` })
      : texts.text('mail.past_due.pay', { link: payUrl });
  return {
    to,
    subject: failedSubject(texts, { shop, plan, total }),
    text: texts.text('mail.past_due.text', {
      ...{ shop, url: publicUrl, plan, rows, pay, page, next },
      until: texts.day(usableUntilMs),
    }),
  };
}

/** The mail with links to the plans that are paid with the recipient's address, on their request. */
export function links({ name, publicUrl, texts }: ShopFacts, plans: readonly PaidPlan[], to: string): Mail {
  const shop = oneLine(name);
  const rows = plans.map((paid) =>
    texts.text('mail.plans.plan', { plan: paid.name, state: stateOf(texts, paid), page: paid.page }),
  );
  return {
    to,
    subject: texts.text('mail.plans.subject', { shop }),
    text: texts.text('mail.plans.text', { shop, url: publicUrl, plans: rows.join('\n') }),
  };
}

function stateOf(texts: Texts, { one, next, price }: PaidPlan): string {
  if (one.status === 'past_due') return texts.text('mail.plans.past_due');
  const day = texts.day(one.endMs);
  const amount = price === null ? null : texts.usd(Money.format(price));
  if (next !== null)
    return amount === null
      ? texts.text('account.plan_then', { day, plan: next })
      : texts.text('account.plan_then_price', { day, plan: next, amount });
  return amount === null
    ? texts.text('mail.plans.renews', { day })
    : texts.text('mail.plans.renews_for', { day, amount });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
