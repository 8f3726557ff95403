import type { Mail } from '../identity/mail.ts';
import * as Money from '../kernel/money.ts';
import type { RefundRequest } from './refund-request.ts';

/** The mail that tells the seller of a refund request, and how it is answered. The reason is the buyer's own words, marked as such. */
export function write(
  to: string,
  { name, publicUrl }: { name: string; publicUrl: string },
  request: RefundRequest,
): Mail {
  const { purchase, account, plan, paid, amount, unspent, reason } = request;
  const shop = name.replace(/\s+/g, ' ').trim();
  const said = reason.split('\n').map((line) => `> ${line}`);
  return {
    to,
    subject: `${shop}: a buyer asks ${Money.format(amount)} USD back`,
    text: `A buyer at ${shop}, ${publicUrl}
asks to have money back.

    Purchase      ${purchase}
    Account       ${account}
    Plan          ${plan}
    Paid          ${Money.format(paid)} USD
    Asked back    ${Money.format(amount)} USD
    Not spent     ${Money.format(unspent)} USD

In the buyer's words:

${said.join('\n')}

To send it back:

    POST ${publicUrl}/admin/refund-requests/${purchase}/refund

To decline, with a reason that the buyer sees:

    POST ${publicUrl}/admin/refund-requests/${purchase}/decline
    {"reason": "..."}

Both take the admin token as a bearer. What the buyer spent cannot be
taken back: of a refund above what is not spent, the rest is your loss.
`,
  };
}
