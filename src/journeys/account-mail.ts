import type { CatalogContext } from '../catalog/catalog-context.ts';
import { nameOf } from '../catalog/plan-name.ts';
import type { MailContext } from '../identity/identity-context.ts';
import { type AccountEvent, type AccountMails, accountMail } from '../payment/account-mail.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { TextsContext } from '../text/texts-context.ts';
import * as BillingPortal from './billing-portal.ts';
import { notify } from './notify.ts';
import * as Receipts from './receipts.ts';

type AccountMailContext = Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<MailContext, 'mail'> &
  Receipts.ReceiptContext &
  Pick<PaymentContext, 'processor'> &
  TextsContext & { readonly accountMails: AccountMails };

/**
 * Queues the mails to accounts that are due: about payments, renewals, refunds, unpaid renewals and low balances. A process that ends between
 * queuing a mail and marking it repeats it under the same key, which sends nothing twice.
 */
export async function notifyAccounts(shop: AccountMailContext): Promise<void> {
  // Without mail, rows stay unsent and are given up.
  if (shop.mail === null) return;
  const facts = {
    name: shop.catalog.storefront.name,
    publicUrl: shop.publicUrl,
    texts: shop.texts,
    planName: (id: string) => nameOf(shop.catalog, id),
  };
  for (const { key, to, event } of await shop.accountMails.due()) {
    if (event !== null) {
      const receipt = await receiptOf(shop, event);
      const failed =
        event.kind === 'unpaid'
          ? await BillingPortal.failedPaymentOf(shop, event.subscription.id, to)
          : undefined;
      await notify(shop, accountMail(facts, to, event, receipt, failed), `account_${key}`);
    }
    await shop.accountMails.markQueued(key);
  }
}

/** Returns the page of the signed receipt of the event's purchase. The receipt opens nothing else. */
async function receiptOf(shop: Receipts.ReceiptContext, event: AccountEvent): Promise<string | null> {
  if (event.kind !== 'paid' && event.kind !== 'refunded') return null;
  const { id, account } = event.order;
  return account === null ? null : ((await Receipts.ofPurchase(shop, account, id))?.url ?? null);
}
