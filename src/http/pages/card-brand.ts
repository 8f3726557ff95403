/** The brand of a card for people, such as `Visa`. The processor writes it in lower case. */
export function capitalized(brand: string): string {
  return brand.replace(/^./u, (first) => first.toUpperCase());
}
