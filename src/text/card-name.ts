import type { Texts } from './texts.ts';

/** A card for people, such as `Visa ending in 4242`. */
export function cardName(texts: Texts, { brand, last4 }: { brand: string; last4: string }): string {
  // The processor writes the brand in lower case.
  const name = brand.replace(/^./u, (first) => first.toUpperCase());
  return texts.text('billing.card_name', { brand: name, digits: last4 });
}
