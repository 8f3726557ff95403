import type { Mail } from '../identity/mail.ts';
import type { Texts } from '../text/texts.ts';
import type { Subscription } from './subscription.ts';

type ShopFacts = { name: string; publicUrl: string; texts: Texts };

/** The mail about an unpaid renewal, to the cardholder. `page`: where the plan can be canceled. */
export function renewalFailed(
  { name, publicUrl, texts }: ShopFacts,
  { plan, payUrl }: Subscription,
  page: string,
  to: string,
): Mail {
  const shop = oneLine(name);
  const pay = payUrl === null ? '' : texts.text('mail.past_due.pay', { link: payUrl });
  return {
    to,
    subject: texts.text('mail.past_due.subject', { shop, plan }),
    text: texts.text('mail.past_due.text', { shop, url: publicUrl, plan, pay, page }),
  };
}

/** The mail with links to the plans that are paid with the recipient's address, on their request. */
export function links(
  { name, publicUrl, texts }: ShopFacts,
  plans: readonly { one: Subscription; page: string }[],
  to: string,
): Mail {
  const shop = oneLine(name);
  const rows = plans.map(({ one, page }) =>
    texts.text('mail.plans.plan', { plan: one.plan, day: one.endMs ? texts.day(one.endMs) : '', page }),
  );
  return {
    to,
    subject: texts.text('mail.plans.subject', { shop }),
    text: texts.text('mail.plans.text', { shop, url: publicUrl, plans: rows.join('\n') }),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
