import type { Texts } from '../../text/texts.ts';

/** A card for people, such as `Visa ending in 4242`. */
export function cardName(texts: Texts, { brand, last4 }: { brand: string; last4: string }): string {
  return texts.text('billing.card_name', { brand: capitalized(brand), digits: last4 });
}

/** The brand of a card for people, such as `Visa`. The processor writes it in lower case. */
function capitalized(brand: string): string {
  return brand.replace(/^./u, (first) => first.toUpperCase());
}
