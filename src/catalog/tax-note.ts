import type { Texts } from '../text/texts.ts';
import type { Catalog } from './catalog.ts';

type TaxedCatalog = Pick<Catalog, 'storefront'>;

/** Returns true when tax is added to the prices. */
export function isTaxAdded({ storefront }: TaxedCatalog): boolean {
  return storefront.tax === 'stripe';
}

/** Returns the note beside prices when tax is added to them; null when prices are final. */
export function taxNote(texts: Texts, catalog: TaxedCatalog): string | null {
  return isTaxAdded(catalog) ? texts.text('shop.tax_note') : null;
}

/** Returns the same as a member of a response; empty when prices are final. */
export function member(texts: Texts, catalog: TaxedCatalog) {
  const message = taxNote(texts, catalog);
  return message === null ? {} : { tax: { included: false, message } };
}
