import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../../catalog/catalog.ts';
import { isTaxAdded } from '../../catalog/tax-note.ts';
import type { Texts } from '../../text/texts.ts';

/** The text of the link that pays an unpaid renewal: with its amount, where it is known. */
export function payText(texts: Texts, due: Money.Money | null, catalog: Pick<Catalog, 'storefront'>): string {
  if (due === null) return texts.text('account.pay_invoice');
  const amount = texts.usd(Money.format(due));
  return texts.text(isTaxAdded(catalog) ? 'account.pay_amount_taxed' : 'account.pay_amount', { amount });
}
