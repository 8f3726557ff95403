import { capitalized } from './capitalized.ts';
import type { Texts } from './texts.ts';

/** A card for people, such as `Visa ending in 4242`. */
export function cardName(texts: Texts, { brand, last4 }: { brand: string; last4: string }): string {
  // The processor writes the brand in lower case.
  return texts.text('billing.card_name', { brand: capitalized(brand), digits: last4 });
}
